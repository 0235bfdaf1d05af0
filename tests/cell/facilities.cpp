// SPDX-License-Identifier: BSL-1.0
// What TensorFlow's layers give a cell beside running: flags of trainable parameters, penalties on
// parameters, settings, copies.
#include <doctest/doctest.h>
#include <sluice/sequence/activity.hpp>
#include <sluice/train/adam.hpp>
#include <sluice/train/sgd.hpp>
#include <support/own_cells.hpp>
#include <support/tensors.hpp>

using namespace support;
using namespace sluice::literals;

namespace {

using own_cell = sluice::cell<own_cells::equations, double>;

own_cell make() {
    own_cell cell(own_cells::extents, sluice::seed{1});
    randomize(cell);
    cell.set_setting("leak"_s, own_cells::leak);
    return cell;
}
auto gradients_of(own_cell const& cell) {
    auto const run = unroll(cell, random_sequence<double>(3, 2, 5), cell.zero_state(2));
    return backward(cell, run, random_like(run.outputs, "dys")).parameters;
}

} // namespace

TEST_CASE_TEMPLATE("parameters that are not trainable stay", Optimizer, sluice::sgd<own_cell>,
                   sluice::adam<own_cell>) {
    auto cell = make();
    Optimizer optimizer(cell);
    CHECK(cell.trainable("R_n"_s));
    cell.set_trainable("R_n"_s, false);
    cell.set_trainable("p_z"_s, false);
    auto const before = cell.parameters();
    optimizer.step(cell, gradients_of(cell));
    sluice::for_each_parameter(cell.parameters(), [&](auto key, auto const& tensor) {
        CAPTURE(key.c_str());
        CHECK(cell.trainable(key) == !same_bits(tensor, before[key]));
    });
    cell.set_trainable("R_n"_s, true);
    optimizer.step(cell, gradients_of(cell));
    CHECK_FALSE(same_bits(cell.parameters()["R_n"_s], before["R_n"_s]));
    CHECK(same_bits(cell.parameters()["p_z"_s], before["p_z"_s]));
}

TEST_CASE("penalties on parameters, and their gradient against central differences") {
    auto cell = make();
    CHECK(cell.penalty() == 0);
    cell.regularize("W_z"_s, {.l1 = 0.3, .l2 = 0.2});
    cell.regularize("q"_s, {.l2 = 0.5});
    cell.regularize("R_n"_s, {.l1 = 0.1});
    double expected = 0;
    for (double const w : cell.parameters()["W_z"_s])
        expected += 0.3 * std::abs(w) + 0.2 * w * w;
    for (double const w : cell.parameters()["q"_s])
        expected += 0.5 * w * w;
    for (double const w : cell.parameters()["R_n"_s])
        expected += 0.1 * std::abs(w);
    CHECK(cell.penalty() == doctest::Approx(expected).epsilon(1e-14));

    auto const start = gradients_of(cell);
    auto gradients = start;
    cell.add_penalty_gradient(gradients);
    double const step = 1e-5;
    sluice::for_each_parameter(gradients, [&](auto key, auto const& gradient) {
        auto const original = cell.parameters()[key];
        for (std::size_t i = 0; i < original.size(); i += 5) {
            CAPTURE(key.c_str());
            auto moved = original;
            moved.data()[i] += step;
            cell.assign(key, moved);
            double const above = cell.penalty();
            moved.data()[i] = original.data()[i] - step;
            cell.assign(key, moved);
            double const slope = (above - cell.penalty()) / (2 * step);
            CHECK(gradient.data()[i] - start[key].data()[i] == doctest::Approx(slope).epsilon(1e-8));
        }
        cell.assign(key, original);
    });

    CHECK_THROWS_AS(cell.regularize("W_z"_s, {.l1 = -1}), std::invalid_argument);
    CHECK(cell.penalty() == doctest::Approx(expected).epsilon(1e-14));
    cell.regularize("W_z"_s, {});
    cell.regularize("q"_s, {});
    cell.regularize("R_n"_s, {});
    CHECK(cell.penalty() == 0);
}

TEST_CASE("settings are numbers of the run, not parameters") {
    auto cell = make();
    CHECK(cell.setting("leak"_s) == own_cells::leak);
    auto const xs = random_sequence<double>(3, 2, 5);
    auto const with_leak = unroll(cell, xs, cell.zero_state(2));
    cell.set_setting("leak"_s, 0);
    CHECK(cell.setting("leak"_s) == 0);
    auto const without = unroll(cell, xs, cell.zero_state(2));
    CHECK_FALSE(same_bits(with_leak.outputs, without.outputs));
    CHECK(same_bits(steps(with_leak.outputs, 0, 1), steps(without.outputs, 0, 1))); // m was zero there
    CHECK_THROWS_AS(backward(cell, with_leak, with_leak.outputs), std::logic_error);
}

TEST_CASE("a copy of a cell is another cell") {
    auto cell = make();
    cell.regularize("W_z"_s, {.l2 = 0.5});
    cell.set_trainable("q"_s, false);
    auto const copy = cell;
    auto const parameters = copy.parameters();
    double const penalty = copy.penalty();
    auto const xs = random_sequence<double>(3, 2, 5);
    auto const expected = unroll(copy, xs, copy.zero_state(2));

    CHECK(same_map(cell.parameters(), parameters));
    CHECK_FALSE(copy.trainable("q"_s));
    cell.update([](auto, std::span<double> values) { std::fill(values.begin(), values.end(), 0.1); });
    cell.set_setting("leak"_s, 0);
    cell.set_trainable("q"_s, true);
    cell.regularize("W_z"_s, {});
    CHECK(same_map(copy.parameters(), parameters));
    CHECK(copy.setting("leak"_s) == own_cells::leak);
    CHECK_FALSE(copy.trainable("q"_s));
    CHECK(copy.penalty() == penalty);
    auto const again = unroll(copy, xs, copy.zero_state(2));
    CHECK(same_bits(again.outputs, expected.outputs));
    CHECK_FALSE(same_bits(unroll(cell, xs, cell.zero_state(2)).outputs, expected.outputs));

    cell = copy; // and back
    CHECK(same_bits(unroll(cell, xs, cell.zero_state(2)).outputs, expected.outputs));
    auto const moved = std::move(cell);
    CHECK(same_bits(unroll(moved, xs, moved.zero_state(2)).outputs, expected.outputs));
}

TEST_CASE("a change that throws half-way leaves a cell that runs with the parameters it has") {
    auto cell = make();
    auto const xs = random_sequence<double>(3, 2, 5);
    auto const half_way = [](auto, std::span<double> values) {
        std::fill(values.begin(), values.end(), 0.25);
        throw std::runtime_error("stop");
    };
    CHECK_THROWS_AS(cell.update(half_way), std::runtime_error);
    auto twin = make();
    twin.assign("W_z"_s, 0.25 * xt::ones<double>({5, 9}));
    CHECK(same_map(cell.parameters(), twin.parameters()));
    CHECK(same_bits(unroll(cell, xs, cell.zero_state(2)).outputs,
                    unroll(twin, xs, twin.zero_state(2)).outputs));
}
