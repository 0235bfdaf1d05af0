// SPDX-License-Identifier: BSL-1.0
// Training of real cells: penalties on their parameters, and parameters that are frozen.
#include <doctest/doctest.h>
#include <sluice/train/penalty.hpp>
#include <sluice/xtensor.hpp>
#include <support/own_cells.hpp>
#include <support/tensors.hpp>
#include <utility>

namespace penalty_test {

using namespace support;
using namespace sluice::literals;

namespace {

struct echo {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) = tanh(x * W<"h"> + h * fixed(matrix<"A">)));
    }();
};

using own_cell = sluice::cell<own_cells::traced, double>;

own_cell make() {
    own_cell cell(own_cells::extents, sluice::seed{1}, {{"leak", own_cells::leak}});
    randomize(cell);
    return cell;
}
auto gradients_of(own_cell const& cell) {
    auto const run = unroll(cell, random_sequence<double>(3, 2, 5), cell.zero_state(2));
    return backward(cell, run, random_like(run.outputs, "dys")).parameters;
}

} // namespace

TEST_CASE_TEMPLATE("penalty: parameters that are frozen stay", Optimizer, sluice::sgd<own_cell>,
                   sluice::adam<own_cell>) {
    auto cell = make();
    Optimizer optimizer(cell);
    CHECK_FALSE(optimizer.is_frozen("R_n"_s));
    optimizer.freeze("R_n"_s);
    optimizer.freeze("p_z"_s);
    auto const before = cell.parameters();
    optimizer.step(cell, gradients_of(cell));
    sluice::for_each_parameter(cell.parameters(), [&](auto key, auto const& tensor) {
        CAPTURE(key.c_str());
        CHECK(optimizer.is_frozen(key) == same_bits(tensor, before[key]));
    });
    optimizer.unfreeze("R_n"_s);
    optimizer.step(cell, gradients_of(cell));
    CHECK_FALSE(same_bits(cell.parameters()["R_n"_s], before["R_n"_s]));
    CHECK(same_bits(cell.parameters()["p_z"_s], before["p_z"_s]));
}

TEST_CASE("penalty: penalties on parameters, and their gradient against central differences") {
    auto cell = make();
    sluice::penalty penalty(cell);
    CHECK(penalty.loss(cell) == 0);
    penalty.regularize("W_z"_s, {.l1 = 0.3, .l2 = 0.2});
    penalty.regularize("q"_s, {.l2 = 0.5});
    penalty.regularize("R_n"_s, {.l1 = 0.1});
    double expected = 0;
    for (double const w : cell.parameters()["W_z"_s])
        expected += 0.3 * std::abs(w) + 0.2 * w * w;
    for (double const w : cell.parameters()["q"_s])
        expected += 0.5 * w * w;
    for (double const w : cell.parameters()["R_n"_s])
        expected += 0.1 * std::abs(w);
    CHECK(penalty.loss(cell) == doctest::Approx(expected).epsilon(1e-14));

    auto const start = gradients_of(cell);
    auto gradients = start;
    penalty.add_gradient(cell, gradients);
    double const step = 1e-5;
    sluice::for_each_parameter(gradients, [&](auto key, auto const& gradient) {
        auto const original = cell.parameters()[key];
        for (std::size_t i = 0; i < original.size(); i += 5) {
            CAPTURE(key.c_str());
            auto moved = original;
            moved.data()[i] += step;
            cell.assign(key, moved);
            double const above = penalty.loss(cell);
            moved.data()[i] = original.data()[i] - step;
            cell.assign(key, moved);
            double const slope = (above - penalty.loss(cell)) / (2 * step);
            CHECK(gradient.data()[i] - start[key].data()[i] == doctest::Approx(slope).epsilon(1e-8));
        }
        cell.assign(key, original);
    });

    CHECK_THROWS_AS(penalty.regularize("W_z"_s, {.l1 = -1}), std::invalid_argument);
    CHECK(penalty.loss(cell) == doctest::Approx(expected).epsilon(1e-14));
    penalty.regularize("W_z"_s, {});
    penalty.regularize("q"_s, {});
    penalty.regularize("R_n"_s, {});
    CHECK(penalty.loss(cell) == 0);
}

TEST_CASE("penalty: a penalty is on parameters that are trained") {
    sluice::cell<echo, double> cell({.input = 2, .units = 3});
    randomize(cell);
    sluice::penalty penalty(cell);
    CHECK_THROWS_WITH_AS(penalty.regularize("A"_s, {.l2 = 0.5}),
                         doctest::Contains("but A is fixed by its equations"), std::invalid_argument);
    CHECK_NOTHROW(penalty.regularize("A"_s, {}));
    CHECK(penalty.loss(cell) == 0);
    penalty.regularize("W_h"_s, {.l2 = 0.5});
    auto gradients = sluice::zero_parameters<echo, double>(cell.extents());
    penalty.add_gradient(cell, gradients);
    CHECK(all_zero(gradients["A"_s]));
    CHECK_FALSE(all_zero(gradients["W_h"_s]));
}

TEST_CASE("penalty: a penalty refuses gradients of another cell, and says when it was moved from") {
    auto const cell = make();
    own_cell const larger({.input = 5, .units = 12, .projection = 3, .groups = 3});
    sluice::penalty penalty(cell);
    penalty.regularize("W_z"_s, {.l2 = 0.5});
    auto gradients = larger.parameters();
    CHECK_THROWS_WITH_AS(penalty.add_gradient(cell, gradients),
                         doctest::Contains("a penalty, parameter W_z expects a gradient of shape"),
                         std::invalid_argument);
    CHECK(same_map(gradients, larger.parameters()));
    auto const moved = std::move(penalty);
    CHECK(moved.loss(cell) > 0);
    CHECK_THROWS_WITH_AS((void)penalty.loss(cell), doctest::Contains("the penalty was moved from"),
                         std::invalid_argument);
}

} // namespace penalty_test
