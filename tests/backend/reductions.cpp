// SPDX-License-Identifier: BSL-1.0
// A reduction whose start is -infinity, over fewer features than a vector of the processor has, over as many
// and more.
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/reducing_cells.hpp>
#include <support/tensors.hpp>

namespace reductions_test {

using namespace sluice::literals;
using reducing_cells::gathering;

namespace {

constexpr sluice::sizes sizes(std::size_t units, std::size_t groups) {
    return {.input = 3, .units = units, .groups = groups, .own = {{"context", 4}}};
}
template <class S>
constexpr double rounding = 300 * static_cast<double>(std::numeric_limits<S>::epsilon());

template <class S>
void sequences_agree(std::size_t units, std::size_t groups) {
    std::size_t const time = 3, batch = 2;
    sluice::cell<gathering, S> planned(sizes(units, groups));
    sluice::cell<gathering, S, sluice::xtensor::reference> reference(sizes(units, groups));
    support::randomize(planned);
    support::randomize(reference);
    auto const xs = support::random_sequence<S>(time, batch, 3);
    auto const contexts = support::random_sequence<S>(time, batch, 4, "context");
    auto const inputs = sluice::inputs("x"_s, xs, "context"_s, contexts);
    auto const state = support::random_map(reference.zero_state(batch), "state");
    auto const a = unroll(planned, inputs, state);
    auto const b = unroll(reference, inputs, state);
    CHECK(std::isfinite(xt::sum(b.outputs)()));
    CHECK(support::distance(a.outputs, b.outputs) < rounding<S>);
    auto const dys = support::random_like(b.outputs, "dys");
    auto const g_a = backward(planned, a, dys, state);
    auto const g_b = backward(reference, b, dys, state);
    CHECK(support::map_distance(g_a.parameters, g_b.parameters) < rounding<S>);
    CHECK(support::state_distance(g_a.state, g_b.state) < rounding<S>);
}

/// A step of sizes that the compiler knows.
template <std::size_t Units, std::size_t Groups>
void steps_agree() {
    sluice::cell<gathering, float, sluice::extents<sizes(Units, Groups)>> fixed;
    sluice::cell<gathering, float, sluice::xtensor::reference> reference(sizes(Units, Groups));
    support::randomize(fixed);
    support::randomize(reference);
    xt::xtensor<float, 2> const x = support::random_like(xt::xtensor<float, 2>({2, 3}), "x");
    xt::xtensor<float, 2> const context = support::random_like(xt::xtensor<float, 2>({2, 4}), "context");
    auto const inputs = sluice::inputs("x"_s, x, "context"_s, context);
    auto const state = support::random_map(reference.zero_state(2), "state");
    auto const a = fixed(inputs, state);
    auto const b = reference(inputs, state);
    CHECK(std::isfinite(xt::sum(b.output)()));
    CHECK(support::distance(a.output, b.output) < rounding<float>);
}

} // namespace

TEST_CASE_TEMPLATE("reductions: two starts never meet in a sequence", S, float, double) {
    sequences_agree<S>(1, 1);
    sequences_agree<S>(3, 1);
    sequences_agree<S>(21, 7);
    sequences_agree<S>(32, 2);
}

TEST_CASE("reductions: nor in a step of sizes that are constants") {
    steps_agree<3, 1>();
    steps_agree<21, 7>();
}

} // namespace reductions_test
