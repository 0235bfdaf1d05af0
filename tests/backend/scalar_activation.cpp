// SPDX-License-Identifier: BSL-1.0
// An activation, and its derivative, written for plain numbers only: kernels on SIMD batches call it lane by
// lane. Its branches differ from lane to lane, and 17 units leave one lane over in a batch of any width.
#include <concepts>
#include <doctest/doctest.h>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/tensors.hpp>

namespace scalar_activation_test {

using namespace support;
using namespace sluice::literals;

namespace {

/// z where z > 0, else z / 4 + 1 / 8 where z < -1/2, else 0. Batches have neither `if` nor a common answer.
struct steps {
    static constexpr std::string_view name = "steps";
    template <std::floating_point T>
    static T value(T z) {
        if (z > 0)
            return z;
        return z < T(-0.5) ? z / 4 + T(0.125) : T(0);
    }
    struct slope {
        static constexpr std::string_view name = "slope_of_steps";
        template <std::floating_point T>
        static T value(T z) {
            return z > 0 ? T(1) : z < T(-0.5) ? T(0.25) : T(0);
        }
        static constexpr auto derivative(auto, auto) { return sluice::equation::number_term<'0'>{}; }
    };
    static constexpr auto derivative(auto z, auto) { return sluice::equation::apply<slope>(z); }
};

struct layer {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) = apply<steps>(x * W<"h"> + h * R<"h"> + b<"h">) - 0.5_n * h);
    }();
};

template <class S, class Backend = sluice::xtensor::planned>
auto make() {
    sluice::cell<layer, S, Backend> cell({.input = 3, .units = 17});
    randomize(cell, 0.4);
    return cell;
}

} // namespace

TEST_CASE_TEMPLATE("scalar activation: an activation for scalars only, lane by lane: values", S, float,
                   double) {
    auto const cell = make<S>();
    auto const& w = cell.parameters();
    auto const x = random_tensor<S, 2>({5, 3}, "x");
    auto const state = random_map(cell.zero_state(5), "state");
    auto const y = cell(x, state).output;
    xt::xtensor<double, 2> expected = xt::zeros<double>({5, 17});
    int below = 0, between = 0, above = 0;
    for (std::size_t r = 0; r < 5; ++r)
        for (std::size_t n = 0; n < 17; ++n) {
            double z = static_cast<double>(w["b_h"_s](n));
            for (std::size_t k = 0; k < 3; ++k)
                z += static_cast<double>(x(r, k)) * static_cast<double>(w["W_h"_s](k, n));
            for (std::size_t k = 0; k < 17; ++k)
                z += static_cast<double>(state["h"_s](r, k)) * static_cast<double>(w["R_h"_s](k, n));
            ++(z > 0 ? above : z < -0.5 ? below : between);
            expected(r, n) = steps::value(z) - 0.5 * static_cast<double>(state["h"_s](r, n));
        }
    CHECK(distance(y, expected) < 64.0 * std::numeric_limits<S>::epsilon());
    CHECK(below > 9);
    CHECK(between > 9);
    CHECK(above > 9);
}

TEST_CASE_TEMPLATE("scalar activation: an activation for scalars only, lane by lane: gradients", S, float,
                   double) {
    auto const of = [](auto const& cell) {
        using scalar = typename std::decay_t<decltype(cell)>::scalar_type;
        auto const xs = random_sequence<scalar>(4, 3, 3);
        auto const run = unroll(cell, xs, random_map(cell.zero_state(3), "state"), {.lengths = {4, 0, 2}});
        return backward(cell, run, random_like(run.outputs, "dys"), random_map(run.state, "dstate"));
    };
    auto const g = of(make<S>());
    auto const expected = of(make<double, sluice::xtensor::reference>());
    double const rounding = 512.0 * std::numeric_limits<S>::epsilon();
    CHECK(map_distance(g.parameters, expected.parameters) < rounding);
    CHECK(distance(g.inputs, expected.inputs) < rounding);
    CHECK(map_distance(g.state, expected.state) < rounding);
}

} // namespace scalar_activation_test
