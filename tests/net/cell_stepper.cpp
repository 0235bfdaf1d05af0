// SPDX-License-Identifier: BSL-1.0
// The steps of an engine with names: their state from step to step, by rows, moved away, and with an input
// that lies elsewhere.
#include <sluice/net/cell_stepper.hpp>

#include <doctest/doctest.h>
#include <sluice/expr/vocabulary.hpp>
#include <sluice/lower/interpret.hpp>
#include <sluice/net/planned_engine.hpp>
#include <sluice/plan/plans.hpp>
#include <sluice/xtensor/kernels.hpp>
#include <utility>

namespace {

using namespace sluice::equation;
using namespace sluice::literals;
using kernels = sluice::xtensor::kernels;
using numbers = xt::xtensor<double, 2>;

constexpr auto z = input_of<units>;
constexpr auto c = state<"c">;

/// Exact in binary: h' = z + h / 2, c' = h - c, y = c' + 2 h'.
struct page {
    static constexpr auto equations =
        sluice::lines(next(h) = z + 0.5_n * h, next(c) = h - c, output = next(c) + 2_n * next(h));
};
using all = sluice::plans<page>;
using stepper = sluice::cell_stepper<page, double>;
using states = sluice::state_map<page, double>;

constexpr sluice::sizes extents{.units = 2};

/// Makes steppers, as a lowering does.
struct maker {
    sluice::planned_engine<double, kernels> engine{sluice::page_view{
        all::graph, all::inference, sluice::passes<page>::graph, sluice::passes<page>::entries}};
    sluice::cell_numbers<double> cell{extents, {}, {}, {}}; // without parameters

    maker() { engine.refresh(cell); }
    maker(maker const&) = delete;
    stepper made(std::size_t batch) {
        sluice::sweep_program<double, kernels> const program{
            all::graph, all::inference,
            [](kernels const&, sluice::plan_view const& p, int k, sluice::block_frame<double> const& f) {
                sluice::interpret_block<sluice::passes<page>::operations>(p, k, f);
            }};
        return stepper(extents, batch, [&](auto const& inputs, double* output) {
            return engine.prepare(program, cell, batch, inputs, output);
        });
    }
};

states with(numbers const& h, numbers const& of_c) {
    auto made = sluice::zero_states<page, double>(extents, h.shape()[0]);
    made["h"_s] = h;
    made["c"_s] = of_c;
    return made;
}
/// The state and the output after a step, worked out here.
numbers advance(states& s, numbers const& x) {
    numbers const old = s["h"_s];
    s["h"_s] = x + 0.5 * old;
    s["c"_s] = numbers(old - s["c"_s]);
    return s["c"_s] + 2 * s["h"_s];
}
numbers x_of(double first) {
    return {{first, -1}, {0.5 * first, 4}};
}
void check_step(stepper& steps, states& expected, double first) {
    numbers const x = x_of(first);
    steps.take_first(x.data());
    steps.step();
    CHECK(steps.output == advance(expected, x));
}
void check_state(stepper const& steps, states const& expected) {
    auto found = with(numbers::from_shape({2, 2}), numbers::from_shape({2, 2}));
    steps.copy_state(found);
    CHECK(found["h"_s] == expected["h"_s]);
    CHECK(found["c"_s] == expected["c"_s]);
}

} // namespace

TEST_CASE("stepper: steps go on from the state that was set, and it can be looked at between them") {
    maker from;
    stepper steps = from.made(2);
    auto expected = with({{1, 2}, {3, -4}}, {{0.5, 0}, {-8, 16}});
    steps.set_state(expected);
    check_state(steps, expected);
    for (double const first : {1., -3., 0.25, 7.}) {
        check_step(steps, expected, first);
        check_state(steps, expected);
    }
}

TEST_CASE("stepper: the state of one row is set, and that of the others stays") {
    maker from;
    stepper steps = from.made(2);
    auto expected = with({{1, 2}, {3, -4}}, {{0.5, 0}, {-8, 16}});
    steps.set_state(expected);
    auto const other = with({{10, 20}, {30, 40}}, {{-10, -20}, {-30, -40}});
    for (std::size_t const row : {1u, 0u, 1u}) { // after even steps and odd ones
        check_step(steps, expected, 2);
        steps.set_state(other, row);
        for (std::size_t u = 0; u < 2; ++u) {
            expected["h"_s](row, u) = other["h"_s](row, u);
            expected["c"_s](row, u) = other["c"_s](row, u);
        }
        check_state(steps, expected);
    }
    check_step(steps, expected, 5);
}

TEST_CASE("stepper: a step reads an input where it lies, and the next one where it was before") {
    maker from;
    stepper steps = from.made(2);
    auto expected = with({{1, 2}, {3, -4}}, {{0.5, 0}, {-8, 16}});
    steps.set_state(expected);
    numbers const elsewhere = x_of(9);
    steps.step_from(elsewhere.data());
    CHECK(steps.output == advance(expected, elsewhere));
    check_step(steps, expected, -1);
}

TEST_CASE("stepper: one that is moved goes on where it was; two that are made share nothing") {
    maker from;
    stepper first = from.made(2), other = from.made(2);
    auto expected = with({{1, 2}, {3, -4}}, {{0.5, 0}, {-8, 16}}), of_other = with(x_of(3), x_of(-3));
    first.set_state(expected);
    other.set_state(of_other);
    check_step(first, expected, 1);
    stepper moved = std::move(first);
    check_step(other, of_other, 2);
    check_step(moved, expected, 3);
    check_step(moved, expected, 4);
    check_step(other, of_other, 5);
}

TEST_CASE("stepper: before the first step inputs and outputs are zeros, and there may be no rows") {
    maker from;
    CHECK(from.made(3).output == xt::zeros<double>({3, 2}));
    CHECK(from.made(3).inputs == xt::zeros<double>({1, 3, 2}));
    stepper nobody = from.made(0);
    nobody.step();
    CHECK(nobody.output.size() == 0);
}
