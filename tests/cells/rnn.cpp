// SPDX-License-Identifier: BSL-1.0
// The simple recurrent network against numbers that are computed here, and how its parameters start.
#include <doctest/doctest.h>
#include <sluice/cells/rnn.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/both.hpp>
#include <support/tensorflow.hpp>

namespace rnn_test {

using namespace support::tensorflow;
using namespace sluice::literals;

namespace {

template <class Page, class Backend>
matrix two_steps() {
    sluice::cell<Page, double, Backend> cell({.input = 2, .units = 1});
    cell.assign("W_h"_s, matrix{{0.5}, {-0.25}});
    cell.assign("R_h"_s, matrix{{2}});
    cell.assign("b_h"_s, vector{0.125});
    auto state = cell.zero_state(2);
    state["h"_s] = matrix{{0.75}, {-1}};
    matrix const x{{1, 3}, {2, -4}};
    state = cell(x, state).state;
    return cell(x, state).output;
}

} // namespace

TEST_CASE_TEMPLATE("rnn: two steps by hand", Backend, sluice::xtensor::planned, sluice::xtensor::reference) {
    // x W + b is -0.125 and 2.125
    CHECK(off(two_steps<sluice::relu_rnn, Backend>(), {2 * 1.375 - 0.125, 2 * 0.125 + 2.125}) < 1e-15);
    double const first = std::tanh(2 * 0.75 - 0.125), second = std::tanh(-2 + 2.125);
    CHECK(off(two_steps<sluice::tanh_rnn, Backend>(),
              {std::tanh(2 * first - 0.125), std::tanh(2 * second + 2.125)}) < 1e-15);
}

TEST_CASE("rnn: what is constant of it") {
    BOTH(sluice::parameter_count<sluice::tanh_rnn>({.input = 3, .units = 7}) == 3 * 7 + 7 * 7 + 7);
    BOTH(sluice::print<sluice::tanh_rnn>().view() == "next(h) = tanh(x W_h + h R_h + b_h)\n");
    BOTH(sluice::print<sluice::relu_rnn>().view() == "next(h) = relu(x W_h + h R_h + b_h)\n");
}

TEST_CASE("rnn: the matrices start as one kernel [x, h] x [units], the bias at 0") {
    sluice::cell<sluice::tanh_rnn, double> const cell({.input = 20, .units = 17}, sluice::seed{3});
    double const limit = std::sqrt(6.0 / (20 + 2 * 17));
    auto const& w = cell.parameters();
    for (auto const* tensor : {&w["W_h"_s], &w["R_h"_s]}) {
        double const largest = xt::amax(xt::abs(*tensor))();
        CHECK(largest <= limit);
        CHECK(largest > 0.97 * limit);
    }
    CHECK(support::all_zero(w["b_h"_s]));
    sluice::cell<sluice::relu_rnn, double> const given(
        {.input = 2, .units = 3}, {},
        {.kernel_initializer = constant(0.5), .bias_initializer = constant(-1)});
    CHECK(off(given.parameters()["W_h"_s], 0.5) == 0);
    CHECK(off(given.parameters()["R_h"_s], 0.5) == 0);
    CHECK(off(given.parameters()["b_h"_s], -1) == 0);
}

} // namespace rnn_test
