// SPDX-License-Identifier: BSL-1.0
// A first layer with input matrices, or without.
#include <doctest/doctest.h>
#include <sluice/cell/adapt/skip_input.hpp>
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/checkpoint/checkpoint.hpp>
#include <sluice/xtensor.hpp>
#include <stdexcept>
#include <support/tensors.hpp>

namespace stack_input_modes_test {

using doctest::Contains;
using mode = sluice::input_mode;
using sluice::direction;

namespace {

template <class Page, class S>
using net_of = sluice::stack<sluice::any_input_mode<Page>, S>;

template <class Page, class S>
net_of<Page, S> made(std::size_t input, mode m, direction d = direction::unidirectional) {
    return net_of<Page, S>({.input = input, .units = 4}, {.layers = 2, .direction = d, .input_mode = m},
                           sluice::seed{7});
}

} // namespace

TEST_CASE_TEMPLATE("stack: in linear mode it is the stack of the page", S, float, double) {
    auto const xs = support::random_tensor<S, 3>({5, 3, 6}, "xs");
    auto const net = made<sluice::gru, S>(6, mode::linear_input);
    sluice::stack<sluice::gru, S> const plain({.input = 6, .units = 4}, {.layers = 2}, sluice::seed{7});
    CHECK(sluice::infer(net, xs, net.zero_state(3)).outputs ==
          sluice::infer(plain, xs, plain.zero_state(3)).outputs);
    CHECK(net.parameter_count() == plain.parameter_count());
    auto const chosen = made<sluice::gru, S>(6, mode::auto_select); // 6 are not 4
    CHECK(sluice::infer(chosen, xs, net.zero_state(3)).outputs ==
          sluice::infer(plain, xs, plain.zero_state(3)).outputs);
}

TEST_CASE_TEMPLATE("stack: in skip mode the first layer adds x itself", S, float, double) {
    auto const xs = support::random_tensor<S, 3>({5, 3, 4}, "xs");
    for (direction const d : {direction::unidirectional, direction::bidirectional, direction::reversed})
        for (mode const m : {mode::skip_input, mode::auto_select}) {
            auto const net = made<sluice::gru, S>(4, m, d);
            CHECK(net.input_size() == 4);
            std::size_t const ways = net.directions();
            CHECK(net.parameter_count() == ways * 3 * (4 * 4 + 4) + ways * 3 * (4 * ways * 4 + 4 * 4 + 4));
            auto const state = net.zero_state(3);
            using namespace sluice::literals;
            CHECK(state["h"_s].shape() == std::array<std::size_t, 3>{2 * ways, 3, 4});
            auto const found = sluice::infer(net, xs, state).outputs;
            CHECK(xt::allclose(found, sluice::unroll(net, xs, state).outputs, 1e-5, 1e-6));
            if (d != direction::unidirectional)
                continue;
            auto const& first = net.template cell<sluice::skip_input<sluice::gru>>(0);
            auto const& second = net.cell(1);
            auto const between = sluice::infer(first, xs, first.zero_state(3)).outputs;
            CHECK(found == sluice::infer(second, between, second.zero_state(3)).outputs);
            CHECK_THROWS_WITH_AS(net.cell(0), Contains("no cell of that page in layer 0"),
                                 std::invalid_argument);

            sluice::stream live(net, 3);
            for (std::size_t t = 0; t < 5; ++t)
                CHECK(xt::allclose(live.step(xt::view(xs, t)), xt::view(found, t), 1e-5, 1e-6));
            auto const at_end = live.state();
            live.set_state(at_end);
            CHECK(live.state()["h"_s] == at_end["h"_s]);
        }
}

TEST_CASE("stack: gradients in skip mode, with lengths") {
    auto const xs = support::random_tensor<double, 3>({5, 2, 4}, "xs");
    for (direction const d : {direction::unidirectional, direction::bidirectional, direction::reversed}) {
        auto const net = made<sluice::canonical_lstm, double>(4, mode::skip_input, d);
        CHECK(sluice::gradient_check(net, xs, net.zero_state(2), {.lengths = {5, 3}}).worst().largest < 1e-8);
        auto const copy = net;
        CHECK(sluice::infer(copy, xs, net.zero_state(2)).outputs ==
              sluice::infer(net, xs, net.zero_state(2)).outputs);
    }
}

TEST_CASE("stack: a stream follows a stack that skips its input now") {
    auto net = made<sluice::gru, double>(4, mode::linear_input);
    sluice::stream live(net, 2);
    net = made<sluice::gru, double>(4, mode::skip_input);
    CHECK_THROWS_WITH_AS(live.step(support::random_tensor<double, 2>({2, 4}, "x")),
                         Contains("has got other layers"), std::logic_error);
}

TEST_CASE("stack: input modes that cannot be are refused with a sentence") {
    using bad = std::invalid_argument;
    CHECK_THROWS_WITH_AS((made<sluice::gru, float>(6, mode::skip_input)),
                         Contains("expects an input as wide as its units, 4, but .input is 6"), bad);
    CHECK(made<sluice::gru, float>(0, mode::skip_input).input_size() == 4);
    CHECK_THROWS_WITH_AS((made<sluice::gru, float>(4, static_cast<mode>(7))), Contains("it is number 7"),
                         bad);
    CHECK_THROWS_WITH_AS(
        (sluice::stack<sluice::gru>({.input = 4, .units = 4}, {.input_mode = mode::skip_input})),
        Contains("is a stack<any_input_mode<page>>, but .input_mode is skip_input"), bad);

    auto const linear = made<sluice::gru, float>(4, mode::linear_input);
    auto skipping = made<sluice::gru, float>(4, mode::skip_input);
    sluice::archive all;
    sluice::store(all, linear);
    CHECK_THROWS_WITH(sluice::restore(all, skipping), Contains("the equations are not those of the object"));
}

} // namespace stack_input_modes_test
