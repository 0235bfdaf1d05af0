// SPDX-License-Identifier: BSL-1.0
// Penalties on activity: loss, and gradients through backward against central differences.
#include <doctest/doctest.h>
#include <sluice/cells/lstm.hpp>
#include <sluice/train/activity.hpp>
#include <sluice/xtensor.hpp>
#include <support/tensors.hpp>

namespace activity_test {

using namespace support;
using namespace sluice::literals;

namespace {

auto make() {
    sluice::cell<sluice::projected_lstm, double> cell({.input = 3, .units = 5, .projection = 2});
    randomize(cell);
    return cell;
}
double sum_of(auto const& tensor, auto f) {
    double sum = 0;
    for (double const v : tensor)
        sum += f(v);
    return sum;
}

} // namespace

TEST_CASE("activity: the penalty is that of the outputs and of every final state") {
    auto const cell = make();
    auto const run = unroll(cell, random_sequence<double>(4, 2, 3), cell.zero_state(2), {.lengths = {4, 2}});
    auto const loss = [&](auto f) {
        return sum_of(run.outputs, f) + sum_of(run.state["c"_s], f) + sum_of(run.state["h"_s], f);
    };
    auto const p = sluice::penalize_activity({.l1 = 0.3, .l2 = 0.7}, run);
    CHECK(p.loss() ==
          doctest::Approx(loss([](double v) { return 0.3 * std::abs(v) + 0.7 * v * v; })).epsilon(1e-14));
    CHECK(p.outputs.shape() == run.outputs.shape());
    CHECK(p.outputs(3, 1, 0) == 0); // past the end there is nothing to penalise
    double const y = run.outputs(1, 1, 1);
    CHECK(p.outputs(1, 1, 1) == doctest::Approx((y > 0 ? 0.3 : -0.3) + 1.4 * y).epsilon(1e-14));

    CHECK(sluice::penalize_activity({}, run).loss() == 0);
    CHECK_THROWS_AS(sluice::penalize_activity({.l2 = -1}, run), std::invalid_argument);
}

TEST_CASE("activity: its gradients through backward are those of the whole loss") {
    auto cell = make();
    auto const xs = random_sequence<double>(4, 2, 3);
    auto const state = random_map(cell.zero_state(2), "state");
    sluice::regularizer const r{.l1 = 0.3, .l2 = 0.7};
    auto const run = unroll(cell, xs, state, {.lengths = {4, 2}});
    auto const p = sluice::penalize_activity(r, run);
    auto const g = backward(cell, run, p.outputs, p.state);

    double const step = 1e-5;
    sluice::for_each_parameter(g.parameters, [&](auto key, auto const& gradient) {
        CAPTURE(key.c_str());
        auto const original = cell.parameters()[key];
        auto const direction = random_like(original, "direction");
        auto const loss_at = [&](double by) {
            cell.assign(key, original + by * direction);
            return sluice::penalize_activity(r, unroll(cell, xs, state, {.lengths = {4, 2}})).loss();
        };
        double const slope = (loss_at(step) - loss_at(-step)) / (2 * step);
        cell.assign(key, original);
        double expected = 0;
        for (std::size_t i = 0; i < gradient.size(); ++i)
            expected += gradient.data()[i] * direction.data()[i];
        CHECK(slope == doctest::Approx(expected).epsilon(1e-7));
    });
}

} // namespace activity_test
