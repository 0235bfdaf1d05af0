// SPDX-License-Identifier: BSL-1.0
// A state that decays, and the processor's setting after that.
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <sluice/cells/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <span>
#include <support/tensors.hpp>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

namespace decay_test {

using namespace support;
using namespace sluice::literals;

namespace {

/// A state that is halved at every step, unless something comes in.
struct halving {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) = 0.5_n * h + tanh(x * W<"h">));
    }();
};

template <class Tensor>
int denormals(Tensor const& values) {
    int found = 0;
    for (auto const value : values)
        found += std::fpclassify(value) == FP_SUBNORMAL;
    return found;
}

} // namespace

#if defined(__x86_64__) || defined(__aarch64__)

TEST_CASE_TEMPLATE("decay: a state that decays becomes zero, and no denormal", S, float, double) {
    sluice::cell<sluice::lstm, S> cell(
        {.input = 2, .units = 19}); // all gates in the middle, nothing comes in
    cell.update([](auto, std::span<S> values) { std::fill(values.begin(), values.end(), S(0)); });
    std::size_t const steps = 3001;
    auto const xs = xt::xtensor<S, 3>(xt::zeros<S>({steps, std::size_t(3), std::size_t(2)}));
    auto const run = unroll(cell, xs, random_map(cell.zero_state(3), "state"));
    CHECK(denormals(run.outputs) == 0);
    CHECK(run.outputs(20, 2, 18) != 0);
    CHECK(run.state["c"_s](2, 18) == 0);

    sluice::cell<halving, S> half({.input = 2, .units = 19});
    randomize(half);
    auto const state = random_map(half.zero_state(3), "state");
    auto const kept = unroll(half, xs, state);
    CHECK(denormals(kept.outputs) == 0);
    CHECK(kept.outputs(steps - 1, 2, 18) == 0);
    CHECK(kept.outputs(50, 2, 18) != 0);
    auto dys = xt::xtensor<S, 3>(xt::zeros<S>(kept.outputs.shape()));
    xt::view(dys, steps - 1) = S(1);
    auto const g = backward(half, kept, dys);
    CHECK(denormals(g.inputs) == 0);
    CHECK(g.inputs(steps - 20, 2, 1) != 0);

    sluice::stream live(half, 3);
    live.set_state(state);
    xt::xtensor<S, 2> const x = xt::zeros<S>({3, 2});
    for (std::size_t t = 0; t < steps; ++t)
        if (denormals(live.step(x)) > 0)
            FAIL("a denormal at step " << t);
    CHECK(live.step(x)(2, 18) == 0);
}

#endif
#ifdef __x86_64__

TEST_CASE("decay: the processor's setting is what it was before a cell ran") {
    unsigned const flags = 0x3f, before = _mm_getcsr() & ~flags, upward = 0x4000, flushed = 0x8040;
    auto const control = [&] { return _mm_getcsr() & ~flags; };
    for (unsigned const set :
         {before, before | upward, before | 0x8000u, before | 0x0040u, before | flushed}) {
        _mm_setcsr(set);
        sluice::cell<halving, float> cell({.input = 2, .units = 3});
        auto const xs = random_sequence<float>(4, 2, 2);
        auto const run = unroll(cell, xs, cell.zero_state(2));
        unsigned const unrolled = control();
        backward(cell, run, random_like(run.outputs, "dys"));
        unsigned const differentiated = control();
        _mm_setcsr(before);
        CHECK(unrolled == set);
        CHECK(differentiated == set);
    }
}

#endif

} // namespace decay_test
