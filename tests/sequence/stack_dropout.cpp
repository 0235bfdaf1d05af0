// SPDX-License-Identifier: BSL-1.0
// Dropout between the layers of a stack.
#include "stack_check.hpp"

#include <cmath>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>

namespace stack_dropout_test {

using namespace stacks;
using namespace sluice::literals;

namespace {

using net_type = sluice::stack<sluice::gru, double>;

net_type make(double rate, std::size_t layers = 2, bool variational = false, sluice::seed from = {}) {
    return shuffled(
        net_type({.input = 3, .units = 7},
                 {.layers = layers, .dropout = rate, .variational = variational, .dropout_seed = from}));
}
auto const& xs() {
    static auto const values = random_sequence<double>(4, 3, 3);
    return values;
}

using linear = sluice::stack<sluice::dense, double>;

/// Every layer hands its input on: what comes out are the masks.
linear identity(std::size_t width, std::size_t layers, double rate, bool variational = false) {
    linear net(
        {.input = width, .units = width},
        {.layers = layers, .dropout = rate, .variational = variational, .dropout_seed = sluice::seed{3}});
    for (std::size_t l = 0; l < layers; ++l) {
        std::string const prefix = "layer" + std::to_string(l) + "/";
        net.assign(prefix + "W_y", xt::eye<double>(width));
        net.assign(prefix + "b_y", xt::zeros<double>({width}));
    }
    return net;
}
xt::xtensor<double, 3> masks(linear const& net, std::size_t steps, std::size_t batch, std::uint64_t draw) {
    xt::xtensor<double, 3> const ones = xt::ones<double>({steps, batch, net.input_size()});
    return unroll(net, ones, net.zero_state(batch), {.draw = draw}).outputs;
}

} // namespace

TEST_CASE("stack dropout: dropout of rate 0 is none, bit by bit; inference knows no rate") {
    net_type const plain = make(0);
    auto const start = random_states(plain.zero_state(3), "start");
    auto const expected = unroll(plain, xs(), start);
    auto const inferred = infer(plain, xs(), start);
    CHECK(near(expected.outputs, inferred.outputs));
    for (std::uint64_t const draw : {0u, 9u})
        CHECK(same_bits(unroll(plain, xs(), start, {.draw = draw}).outputs, expected.outputs));
    for (double const rate : {0.5, 1.0}) {
        CAPTURE(rate);
        CHECK(same_bits(infer(make(rate), xs(), start).outputs, inferred.outputs));
        CHECK_FALSE(near(unroll(make(rate), xs(), start).outputs, expected.outputs));
    }
}

TEST_CASE("stack dropout: a draw has its masks; without one, each run takes the next") {
    auto const net = make(0.5), same = make(0.5), other = make(0.5, 2, false, sluice::seed{1});
    auto const start = net.zero_state(3);
    auto const outputs = [&](net_type const& of, std::optional<std::uint64_t> draw = {}) {
        return unroll(of, xs(), start, {.draw = draw}).outputs;
    };
    auto const first = outputs(net), second = outputs(net);
    CHECK_FALSE(near(first, second));
    CHECK(same_bits(first, outputs(net, 0)));
    CHECK(same_bits(second, outputs(net, 1)));
    CHECK(same_bits(first, outputs(same)));
    CHECK_FALSE(near(first, outputs(other, 0)));
    CHECK(unroll(net, xs(), start).draw == 2); // a draw that is given is none of these
    auto const run = unroll(net, xs(), start, {.draw = 77});
    CHECK(run.draw == 77);

    auto copy = net; // goes on with draws of its own
    CHECK(unroll(net, xs(), start).draw == 3);
    CHECK(unroll(copy, xs(), start).draw == 3);
    CHECK(unroll(copy, xs(), start).draw == 4);
    CHECK(unroll(net, xs(), start).draw == 4);
    copy = same;
    CHECK(unroll(copy, xs(), start).draw == 1);
}

TEST_CASE("stack dropout: rows of a part are masked as in the larger batch, gradients too") {
    auto const net = make(0.5);
    auto const start = random_states(net.zero_state(3), "start");
    auto const whole = unroll(net, xs(), start, {.draw = 4});
    auto const dys = random_sequence<double>(4, 3, net.output_size());
    auto const of_whole = backward(net, whole, dys);
    for (std::size_t row = 0; row < 3; ++row) {
        auto rows = xt::range(row, row + 1);
        auto state = net.zero_state(1);
        state["h"_s] = xt::view(start["h"_s], xt::all(), rows);
        auto const part = unroll(net, xt::xtensor<double, 3>(xt::view(xs(), xt::all(), rows)), state,
                                 {.draw = 4, .first_row = row});
        CHECK(near(part.outputs, xt::xtensor<double, 3>(xt::view(whole.outputs, xt::all(), rows))));
        auto const of_part = backward(net, part, xt::xtensor<double, 3>(xt::view(dys, xt::all(), rows)));
        CHECK(near(of_part.inputs, xt::xtensor<double, 3>(xt::view(of_whole.inputs, xt::all(), rows))));
    }
}

TEST_CASE("stack dropout: the state of a layer is not dropped, nor is what the last one gives") {
    auto const net = make(1), plain = make(0);
    auto const start = random_states(net.zero_state(3), "start");
    auto const run = unroll(net, xs(), start), without = unroll(plain, xs(), start);
    CHECK(xt::view(run.state["h"_s], 0) == xt::view(without.state["h"_s], 0));
    CHECK(xt::view(run.state["h"_s], 1) == xt::view(run.outputs, 3));
    CHECK(xt::amin(xt::abs(run.outputs))() > 0);

    auto const one = make(0.5, 1); // nothing is between its layers
    auto const state = one.zero_state(3);
    CHECK(same_bits(unroll(one, xs(), state).outputs, unroll(make(0, 1), xs(), state).outputs));
}

TEST_CASE_TEMPLATE("stack dropout: dropout of rate 1 gives zeros to the next layer, and all stays finite", S,
                   float, double) {
    sluice::stack<sluice::gru, S> const net =
        shuffled(sluice::stack<sluice::gru, S>({.input = 3, .units = 5}, {.layers = 3, .dropout = 1}));
    auto const ones = random_sequence<S>(4, 2, 3);
    auto const start = random_states(net.zero_state(2), "start");
    auto const run = unroll(net, ones, start);
    auto const& last = net.cell(2);
    auto from = last.zero_state(2);
    from["h"_s] = xt::view(start["h"_s], 2);
    xt::xtensor<S, 3> const zeros = xt::zeros<S>({4, 2, 5});
    CHECK(near(run.outputs, infer(last, zeros, from).outputs));
    auto const g = backward(net, run, random_like(run.outputs, "dys"));
    for (S const value : g.parameters.values())
        REQUIRE(std::isfinite(value));
    CHECK(all_zero(g.inputs));
    CHECK(all_zero(g.parameters.at(0)["W_r"_s]));
    CHECK(all_zero(g.parameters.at(2)["W_r"_s])); // its input is zero
    CHECK_FALSE(all_zero(g.parameters.at(2)["R_r"_s]));
}

TEST_CASE(
    "masks between layers: zeros and 1 / (1 - p), as often as the rate says, other ones behind each layer") {
    double const rate = 0.25;
    auto const one = masks(identity(50, 2, rate), 20, 10, 0);
    std::size_t dropped = 0;
    for (double const value : one) {
        REQUIRE((value == 0 || value == 1 / (1 - rate)));
        dropped += value == 0;
    }
    CHECK(std::abs(static_cast<double>(dropped) - 2500) < 4 * std::sqrt(10000 * rate * (1 - rate)));
    // two masks, one after each of two layers: both keep (1 - p)^2
    auto const two = masks(identity(50, 3, rate), 20, 10, 0);
    std::size_t kept = 0, first_only = 0;
    for (std::size_t i = 0; i < two.size(); ++i) {
        kept += two.data()[i] != 0;
        first_only += one.data()[i] != 0 && two.data()[i] == 0;
        REQUIRE((one.data()[i] != 0 || two.data()[i] == 0)); // the first mask is the same
    }
    CHECK(std::abs(static_cast<double>(kept) - 5625) < 4 * std::sqrt(10000 * 0.5625 * 0.4375));
    CHECK(first_only > 1000);
}

TEST_CASE(
    "stack dropout: a variational mask is the same at all steps, another one in each sequence and draw") {
    auto const net = identity(30, 2, 0.5, true);
    auto const mask = masks(net, 3, 4, 0);
    CHECK(xt::view(mask, 0) == xt::view(mask, 1));
    CHECK(xt::view(mask, 0) == xt::view(mask, 2));
    CHECK(xt::view(mask, 0, 0) != xt::view(mask, 0, 1));
    CHECK(mask != masks(net, 3, 4, 1));
    auto const each = masks(identity(30, 2, 0.5), 3, 4, 0);
    CHECK(xt::view(each, 0) != xt::view(each, 1));
}

TEST_CASE("stack dropout: the mean over many draws of a linear stack is what inference gives") {
    linear const net = shuffled(linear({.input = 5, .units = 4}, {.layers = 2, .dropout = 0.4}));
    auto const ones = random_sequence<double>(2, 3, 5);
    auto const state = net.zero_state(3);
    CHECK(is_mean(infer(net, ones, state).outputs, 3000, [&] { return unroll(net, ones, state).outputs; }));
}

TEST_CASE("masks stand at their place: a batch has those of a larger one, in every direction") {
    auto const net = shuffled(net_type({.input = 3, .units = 7}, {.layers = 2,
                                                                  .direction = direction::bidirectional,
                                                                  .dropout = 0.5,
                                                                  .dropout_seed = sluice::seed{8}}));
    auto const all = unroll(net, xs(), net.zero_state(3), {.draw = 4}).outputs;
    xt::xtensor<double, 3> const two = xt::view(xs(), xt::all(), xt::range(0, 2));
    auto const part = unroll(net, two, net.zero_state(2), {.draw = 4}).outputs;
    CHECK(near(part, xt::xtensor<double, 3>(xt::view(all, xt::all(), xt::range(0, 2)))));
    // with lengths too: steps that both have, have the same masks
    auto const ragged = unroll(net, xs(), net.zero_state(3), {.lengths = {4, 4, 1}, .draw = 4}).outputs;
    CHECK(near(xt::xtensor<double, 3>(xt::view(ragged, xt::all(), xt::range(0, 2))),
               xt::xtensor<double, 3>(xt::view(all, xt::all(), xt::range(0, 2)))));
}

} // namespace stack_dropout_test
