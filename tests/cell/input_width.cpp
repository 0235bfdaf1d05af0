// SPDX-License-Identifier: BSL-1.0
// An input whose width is not `input`: a number, or the units.
#include <doctest/doctest.h>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/tensors.hpp>

namespace input_width_test {

using namespace support;
using namespace sluice::equation;
using doctest::Contains;

namespace {

constexpr auto wave = input_of<7>;
constexpr auto residual = input_of<units>;
struct of_seven {
    static constexpr auto equations = sluice::lines(next(h) = tanh(wave * W<"h"> + h * R<"h"> + b<"h">));
};
struct of_units {
    static constexpr auto equations =
        sluice::lines(next(h) = residual + tanh(h * R<"h"> + residual * p<"h">));
};

/// The cell takes this width, and no other, in every call.
template <class Page, class Backend>
void check(sluice::sizes const& n, std::size_t width) {
    using bad = std::invalid_argument;
    sluice::cell<Page, double, Backend> const cell(n, sluice::seed{3});
    CHECK(cell.input_size() == width);
    auto const state = random_map(cell.zero_state(2), "state");
    auto const xs = random_sequence<double>(3, 2, width);
    auto const run = unroll(cell, xs, state);
    xt::xtensor<double, 2> const first = xt::view(xs, 0);
    CHECK(same_bits(cell(first, state).output, xt::xtensor<double, 2>(xt::view(run.outputs, 0))));
    CHECK(backward(cell, run, run.outputs).inputs.shape() == xs.shape());
    CHECK(sluice::gradient_check(cell, xs, state).worst().largest < 1e-7);
    CHECK(sluice::gradient_check(cell, xs, state, {.lengths = {1, 3}}).worst().largest < 1e-7);
    for (std::size_t const other : {width - 1, width + 1, width + 4}) {
        CHECK_THROWS_WITH_AS(unroll(cell, random_sequence<double>(3, 2, other), state),
                             Contains(("[time, batch, " + std::to_string(width) + "]").c_str()), bad);
        CHECK_THROWS_WITH_AS(cell(xt::xtensor<double, 2>(xt::ones<double>({std::size_t(2), other})), state),
                             Contains(("[batch, " + std::to_string(width) + "]").c_str()), bad);
    }
}

} // namespace

TEST_CASE_TEMPLATE("input width: an input of its own width", Backend, sluice::xtensor::planned,
                   sluice::xtensor::reference) {
    check<of_seven, Backend>({.units = 5}, 7);
    check<of_seven, Backend>({.input = 3, .units = 5}, 7); // a number that the equations do not use
    check<of_units, Backend>({.units = 5}, 5);
    check<of_units, Backend>({.input = 9, .units = 5}, 5);
}

} // namespace input_width_test
