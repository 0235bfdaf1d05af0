// SPDX-License-Identifier: BSL-1.0
// A page in a scalar that is kept in fewer digits, on the default backend, and in float on the reference.
#pragma once

#include <algorithm>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <sluice/xtensor/storage.hpp>
#include <support/rounding.hpp>
#include <support/tensors.hpp>

namespace storage_twins {

/// The largest error of rounding, relative to the number.
template <class S>
constexpr double rounding =
    std::is_same_v<S, sluice::half> ? support::rounding_of_half : support::rounding_of_bfloat16;
// Each number that is stored on the way is rounded: so many roundings may be seen in a result, relative to
// its norm.
constexpr double of_outputs = 3.5;
constexpr double of_gradients = 10;

/// A type in which the results are exact beside those of S.
template <class S>
using sharp_of = std::conditional_t<std::is_same_v<sluice::arithmetic_of<S>, double>, double, float>;

template <class Map, class From>
Map widened_map(Map to, From const& from) {
    sluice::for_each_parameter(
        to, from, [](auto, auto& wide, auto const& kept) { wide = sluice::widened_tensor(kept); });
    return to;
}

template <class Page, class S>
struct twins {
    sluice::cell<Page, S> kept;
    sluice::cell<Page, sharp_of<S>, sluice::xtensor::reference> sharp;

    explicit twins(sluice::sizes const& n) : kept(n, sluice::seed{7}), sharp(n) {
        support::randomize(kept);
        sluice::for_each_parameter(kept.parameters(), [&](auto key, auto const& tensor) {
            sharp.assign(key, sluice::widened_tensor(tensor));
        });
    }
};

/// Outputs, states and gradients of sequences of so many steps, with lengths and resets too; and steps.
template <class Page, class S>
void check(sluice::sizes const& n, std::size_t time = 9, double outputs = of_outputs,
           double gradients = of_gradients) {
    twins<Page, S> const both(n);
    auto const& [kept, sharp] = both;
    for (std::size_t const batch : {1u, 3u}) {
        CAPTURE(batch);
        auto const xs = support::random_sequence<S>(time, batch, kept.input_size());
        auto const wide_xs = xt::eval(sluice::widened_tensor(xs));
        auto const state = support::random_map(kept.zero_state(batch), "state");
        auto const wide_state = widened_map(sharp.zero_state(batch), state);
        xt::xtensor<bool, 2> resets = xt::zeros<bool>({time, batch});
        resets(1, 0) = resets(time - 1, batch - 1) = true;
        std::vector<std::size_t> lengths{time, 0, 4};
        lengths.resize(batch);
        for (sluice::unroll_options const& rows :
             {sluice::unroll_options{.lengths = {}}, {.lengths = lengths}, {.resets = resets}}) {
            auto const run = unroll(kept, xs, state, rows);
            auto const expected = unroll(sharp, wide_xs, wide_state, rows);
            CHECK(support::distance(run.outputs, expected.outputs) < outputs * rounding<S>);
            CHECK(support::state_distance(run.state, expected.state) < outputs * rounding<S>);
            CHECK(support::distance(infer(kept, xs, state, rows).outputs, expected.outputs) <
                  outputs * rounding<S>);
            auto const dys = support::random_like(run.outputs, "dys");
            auto const g = backward(kept, run, dys);
            auto const wanted = backward(sharp, expected, xt::eval(sluice::widened_tensor(dys)));
            CHECK(support::map_distance(g.parameters, wanted.parameters) < gradients * rounding<S>);
            CHECK(support::distance(g.inputs, wanted.inputs) < gradients * rounding<S>);
            CHECK(support::state_distance(g.state, wanted.state) < gradients * rounding<S>);
        }
        auto const all = infer(kept, xs, state);
        sluice::stream live(kept, batch, state);
        for (std::size_t t = 0; t < time; ++t)
            CHECK(support::same_bits(live.step(xt::view(xs, t)), xt::eval(xt::view(all.outputs, t))));
    }
    auto const nothing = support::random_sequence<S>(0, 2, kept.input_size());
    auto const run = unroll(kept, nothing);
    CHECK(support::all_zero_map(backward(kept, run, run.outputs).parameters));
    CHECK(unroll(kept, support::random_sequence<S>(3, 0, kept.input_size())).outputs.size() == 0);
}

} // namespace storage_twins
