// SPDX-License-Identifier: BSL-1.0
// A model is the stack of the same pages: numbers, names, outputs, steps and checkpoints.
#include <sluice/model/model_net.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/checkpoint/checkpoint.hpp>
#include <sluice/xtensor.hpp>
#include <stdexcept>
#include <string>
#include <support/tensors.hpp>
#include <vector>

namespace model_net_test {

template <class S>
auto const& known() {
    static auto const all =
        sluice::model_cells<S, sluice::lstm, sluice::gru, sluice::cudnn_gru, sluice::dense>();
    return all;
}
template <class S>
auto make(std::vector<sluice::model_layer> const& layers, sluice::settings const& numbers = {},
          sluice::seed from = {}) {
    return sluice::model_net(known<S>(), layers, numbers, from);
}
std::vector<sluice::model_layer> const three{
    {"lstm", {.input = 3, .units = 5}}, {"gru", {.units = 4}}, {"dense", {.units = 2}}};

template <class Net>
std::vector<std::string> tensors_of(Net const& net) {
    std::vector<std::string> all;
    net.visit_tensors([&](std::string_view called, auto const& shape, auto values) {
        all.push_back(std::string(called));
        for (std::size_t const extent : shape)
            all.back().append(" ").append(std::to_string(extent));
        for (auto const value : values)
            all.back().append(" ").append(std::to_string(value));
    });
    return all;
}

TEST_CASE_TEMPLATE("model_net: it is the stack of the same pages, to the bit", S, float, double) {
    auto const net = make<S>(three, {{"forget_bias", 0.5}}, sluice::seed{7});
    sluice::stack<sluice::layers<sluice::lstm, sluice::gru, sluice::dense>, S> const stack(
        {{.input = 3, .units = 5}, {.units = 4}, {.units = 2}}, {}, sluice::seed{7}, {{"forget_bias", 0.5}});
    CHECK(tensors_of(net) == tensors_of(stack));
    CHECK(net.parameter_count() == stack.parameter_count());
    CHECK(net.equations_text() == stack.equations_text());
    CHECK(net.text() == print(stack));
    CHECK(net.input_size() == 3);
    CHECK(net.output_size() == 2);
    auto const xs = support::random_tensor<S, 3>({7, 3, 3}, "xs");
    CHECK(net.infer(xs) == infer(stack, xs).outputs);
    CHECK(net.parameters()["layer1/W_r"] == stack.parameters()["layer1/W_r"]);
}

TEST_CASE("model_net: steps are those of a stream, and begin again") {
    auto const net = make<float>(three, {}, sluice::seed{7});
    auto const xs = support::random_tensor<float, 3>({6, 2, 3}, "xs");
    auto const ys = net.infer(xs);
    std::vector<float> y(4);
    auto live = net.steps(2, y.data());
    for (int round = 0; round < 2; ++round) {
        for (std::size_t t = 0; t < 6; ++t) {
            live.step(xs.data() + t * 6);
            for (std::size_t i = 0; i < 4; ++i)
                CHECK(y[i] == ys.data()[t * 4 + i]);
        }
        net.restart(live, 2);
    }
}

TEST_CASE("model_net: copies are nets of their own, and outlive the cells that they were made from") {
    auto const made = [] {
        auto const cells = sluice::model_cells<float, sluice::cudnn_gru>();
        sluice::model_net const one(cells, {{"cudnn_gru", {.input = 2, .units = 3}}});
        auto copy = one;
        copy.assign("layer0/b_r", std::vector{1., 2., 3.});
        CHECK(one.parameters()["layer0/b_r"](0) == 1);
        CHECK(one.parameters()["layer0/b_r"](1) == 1);
        CHECK(copy.parameters()["layer0/b_r"](1) == 2);
        auto const xs = support::random_tensor<float, 3>({4, 1, 2}, "xs");
        CHECK(one.infer(xs) != copy.infer(xs));
        return copy;
    }();
    CHECK(made.infer(xt::zeros<float>({4, 1, 2})).shape()[2] == 3);
}

TEST_CASE("model_net: checkpoints of the stack are its own, and the other way round") {
    sluice::stack<sluice::layers<sluice::lstm, sluice::gru, sluice::dense>> stack(
        {{.input = 3, .units = 5}, {.units = 4}, {.units = 2}}, {}, sluice::seed{9});
    auto net = make<float>(three, {}, sluice::seed{7});
    auto const xs = support::random_tensor<float, 3>({4, 2, 3}, "xs");
    sluice::archive saved;
    sluice::store(saved, stack);
    sluice::restore(saved, net);
    CHECK(net.infer(xs) == infer(stack, xs).outputs);
    auto const other = make<float>(three, {}, sluice::seed{8});
    sluice::archive again;
    sluice::store(again, other);
    sluice::restore(again, stack);
    CHECK(infer(stack, xs).outputs == other.infer(xs));
}

TEST_CASE("model_net: a thousand layers") {
    std::vector<sluice::model_layer> layers(1000, {"gru", {.units = 2}});
    layers[0].extents.input = 1;
    auto const net = make<float>(layers);
    CHECK(net.infer(xt::ones<float>({2, 1, 1})).shape()[2] == 2);
}

TEST_CASE("model_net: what is refused") {
    CHECK_THROWS_WITH_AS(make<float>({}), "sluice: a model expects at least one layer, but was given none",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(
        make<float>({{"wavenet", {.input = 1, .units = 2}}}),
        "sluice: a cell of this program is expected, one of: lstm, gru, cudnn_gru, dense; but "
        "got 'wavenet'",
        std::invalid_argument);
    CHECK_THROWS_AS(make<float>({{"gru", {.input = 1, .units = 2}}, {"gru", {.input = 3, .units = 2}}}),
                    std::invalid_argument);
    CHECK_THROWS_AS(make<float>({{"gru", {.input = 1}}}), std::invalid_argument);
    CHECK_THROWS_AS(make<float>({{"gru", {.input = ~std::size_t(0), .units = ~std::size_t(0)}}}),
                    std::invalid_argument);
    CHECK_THROWS_AS(make<float>(three, {{"no_setting", 1}}), std::invalid_argument);
    auto net = make<float>(three);
    CHECK_THROWS_WITH_AS(net.infer(xt::zeros<float>({2, 1, 4})),
                         "sluice: a model expects xs of shape [time, batch, 3], but got [2, 1, 4]",
                         std::invalid_argument);
    CHECK_THROWS_AS(net.assign("layer9/W_r", std::vector{1.}), std::invalid_argument);
    CHECK_THROWS_WITH_AS(net.assign("layer2/b_y", std::vector{1.}),
                         "sluice: assign expects 2 values for layer2/b_y, but got 1", std::invalid_argument);
    CHECK(net.infer(xt::zeros<float>({0, 1, 3})).size() == 0);
    CHECK(net.infer(xt::zeros<float>({3, 0, 3})).size() == 0);
    auto const moved = std::move(net);
    CHECK_THROWS_AS(net.infer(xt::zeros<float>({2, 1, 3})), std::logic_error);
}

} // namespace model_net_test
