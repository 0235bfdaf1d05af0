// SPDX-License-Identifier: BSL-1.0
// Layers of different pages: each has its own sizes, and its states by its number.
#include "stack_check.hpp"
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>

namespace stack_listed_test {

using namespace stacks;
using namespace sluice::literals;

namespace {

using net_type = sluice::stack<sluice::layers<sluice::lstm, sluice::gru, sluice::dense>, double>;

net_type make(sluice::stack_options const& how = {}) {
    return shuffled(net_type({{.input = 4, .units = 5}, {.units = 3}, {.units = 7}}, how));
}

} // namespace

TEST_CASE("stack listed: a stack of different pages has sizes, states and parameters of each layer") {
    auto const net = make({.direction = direction::bidirectional});
    CHECK(net.layers() == 3);
    CHECK(net.input_size() == 4);
    CHECK(net.output_size() == 7); // a layer without states has no direction
    CHECK(net.cell<sluice::gru>(1).input_size() == 10);
    CHECK(net.cell<sluice::dense>(2).input_size() == 6);
    auto const state = net.zero_state(2);
    CHECK(state.get<0>()["h"_s].shape() == std::array<std::size_t, 3>{2, 2, 5});
    CHECK(state.get<0>()["c"_s].shape() == std::array<std::size_t, 3>{2, 2, 5});
    CHECK(state.get<1>()["h"_s].shape() == std::array<std::size_t, 3>{2, 2, 3});
    CHECK(names(state.get<2>()).empty());
    CHECK(net.parameter_count() == net.parameters().values().size());
    CHECK(net.parameters().at<sluice::gru>(1, 1)["W_r"_s] ==
          net.cell<sluice::gru>(1, 1).parameters()["W_r"_s]);
    CHECK(net.parameters()["layer2/W_y"] == net.parameters().at(2)["W_y"_s]);
    CHECK_THROWS_WITH_AS(net.parameters().at(2, 1),
                         doctest::Contains("has no states, and so one direction only"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(net.parameters().at<sluice::gru>(0), doctest::Contains("is of another page"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(net.parameters().at(3), doctest::Contains("no parameters of layer 3"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(net.cell<sluice::gru>(1, 2), doctest::Contains("in layer 1, direction 2"),
                         std::invalid_argument);
    CHECK_THROWS_AS(net.cell<sluice::gru>(0), std::invalid_argument);
    CHECK_THROWS_AS(net.cell(2, 1), std::invalid_argument);
}

TEST_CASE("stack listed: a stack of different pages is its layers one after the other") {
    for (residual added : {residual::none, residual::between_layers})
        for (lengths_type const& lengths : {lengths_type{}, lengths_type{4, 0, 2}}) {
            // all as wide as they have to be for a sum
            net_type const net = shuffled(
                net_type({{.input = 4, .units = 5}, {.units = 5}, {.units = 5}}, {.residual = added}));
            auto const xs = padded_with_nan(random_sequence<double>(4, 3, 4), lengths);
            auto const start = random_states(net.zero_state(3), "start");
            auto const clean = [&](xt::xtensor<double, 3> values) { // zeros after the ends
                for (std::size_t r = 0; r < lengths.size(); ++r)
                    for (std::size_t t = lengths[r]; t < 4; ++t)
                        xt::view(values, t, r) = 0;
                return values;
            };
            auto const first_row = [](auto const& all, auto one) {
                sluice::for_each_parameter(one, [&](auto key, auto& to) { to = xt::view(all[key], 0); });
                return one;
            };
            double const adds = added == residual::none ? 0 : 1;
            auto const a = net.cell<sluice::lstm>(0);
            auto const b = net.cell<sluice::gru>(1);
            auto const c = net.cell(2);
            auto const h0 = first_row(start.get<0>(), a.zero_state(3));
            auto const h1 = first_row(start.get<1>(), b.zero_state(3));
            auto const run_a = unroll(a, xs, h0, {.lengths = lengths});
            auto const run_b = unroll(b, run_a.outputs, h1, {.lengths = lengths});
            xt::xtensor<double, 3> const between = run_b.outputs + adds * run_a.outputs;
            auto const run_c = unroll(c, between, c.zero_state(3), {.lengths = lengths});
            xt::xtensor<double, 3> const ys = run_c.outputs + adds * between;

            auto const run = unroll(net, xs, start, {.lengths = lengths});
            CHECK(near(run.outputs, ys));
            CHECK(near_states(first_row(run.state.get<0>(), h0), run_a.state));
            CHECK(near_states(first_row(run.state.get<1>(), h1), run_b.state));
            auto const found = infer(net, xs, start, {.lengths = lengths});
            CHECK(near(found.outputs, ys));
            CHECK(near_states(found.state, run.state));

            auto const dys = padded_with_nan(random_like(ys, "dys"), lengths);
            auto const dstate = random_states(run.state, "dstate");
            auto const gradients = backward(net, run, dys, dstate);
            auto const g_c = backward(c, run_c, clean(dys));
            xt::xtensor<double, 3> const d_between = g_c.inputs + adds * clean(dys);
            auto const g_b = backward(b, run_b, d_between, first_row(dstate.get<1>(), h1));
            xt::xtensor<double, 3> const d_a = g_b.inputs + adds * d_between;
            auto const g_a = backward(a, run_a, d_a, first_row(dstate.get<0>(), h0));
            CHECK(near(gradients.inputs, g_a.inputs));
            CHECK(map_distance(gradients.parameters.at<sluice::lstm>(0), g_a.parameters) < 1e-12);
            CHECK(map_distance(gradients.parameters.at<sluice::gru>(1), g_b.parameters) < 1e-12);
            CHECK(map_distance(gradients.parameters.at(2), g_c.parameters) < 1e-12);
            CHECK(near_states(first_row(gradients.state.get<0>(), h0), g_a.state));
            CHECK(near_states(first_row(gradients.state.get<1>(), h1), g_b.state));
        }
}

TEST_CASE("stack listed: a page may stand in a stack twice, with other sizes") {
    using twice = sluice::stack<sluice::layers<sluice::gru, sluice::gru>, double>;
    auto const net = shuffled(twice({{.input = 3, .units = 5}, {.units = 2}}));
    CHECK(net.parameters().at<sluice::gru>(0)["b_r"_s].shape()[0] == 5);
    CHECK(net.parameters().at<sluice::gru>(1)["b_r"_s].shape()[0] == 2);
    auto const xs = random_sequence<double>(4, 3, 3);
    auto const ys = infer(net.cell(0), xs, net.cell(0).zero_state(3)).outputs;
    CHECK(near(infer(net, xs, net.zero_state(3)).outputs,
               infer(net.cell(1), ys, net.cell(1).zero_state(3)).outputs));
}

} // namespace stack_listed_test
