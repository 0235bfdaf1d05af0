// SPDX-License-Identifier: BSL-1.0
// The header for running alone has all of it: steps, infer, unroll and streams, which agree.
#include <sluice/xtensor/step.hpp>

#include <doctest/doctest.h>
#include <sluice/cells/gru.hpp>

namespace step_test {
namespace {

/// Whether there is a backward that is not refused.
template <class Net>
constexpr bool sees_backward = requires {
    sizeof(sluice::detail::learning<Net>);
};
static_assert(!sees_backward<sluice::cell<sluice::gru>>);

TEST_CASE_TEMPLATE("step: a file with the header for running alone steps, infers and streams", S, float,
                   double) {
    using namespace sluice::literals;
    sluice::cell<sluice::gru, S> const cell({.input = 3, .units = 5}, sluice::seed{7});
    xt::xtensor<S, 3> xs({4, 2, 3});
    for (std::size_t i = 0; i < xs.size(); ++i)
        xs.flat(i) = S(0.1) * static_cast<S>(i % 7) - S(0.25);

    auto const run = sluice::unroll(cell, xs, cell.zero_state(2));
    auto const [ys, end] = sluice::infer(cell, xs, cell.zero_state(2));
    sluice::stream live(cell, 2);
    auto state = cell.zero_state(2);
    for (std::size_t t = 0; t < 4; ++t) {
        xt::xtensor<S, 2> const x = xt::view(xs, t);
        auto [y, next] = cell(x, state);
        state = std::move(next);
        xt::xtensor<S, 2> const z = live.step(x);
        for (std::size_t r = 0; r < 2; ++r)
            for (std::size_t k = 0; k < 5; ++k) {
                CHECK(y(r, k) == doctest::Approx(ys(t, r, k)).epsilon(1e-5));
                CHECK(z(r, k) == doctest::Approx(ys(t, r, k)).epsilon(1e-5));
                CHECK(run.outputs(t, r, k) == doctest::Approx(ys(t, r, k)).epsilon(1e-5));
            }
    }
    CHECK(end["h"_s](1, 4) == doctest::Approx(state["h"_s](1, 4)).epsilon(1e-5));
}

} // namespace
} // namespace step_test
