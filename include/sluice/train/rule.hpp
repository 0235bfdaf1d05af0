// SPDX-License-Identifier: BSL-1.0
//
// The rule of an optimiser: how a step changes one number. It is a struct of settings with
//
//   double learning_rate
//   static constexpr std::array slots{"m", "v"}              what it remembers of a number
//   void check<A>() const                                    throws std::invalid_argument for a setting out
//                                                            of range, or without its meaning in A
//   step_range<slots> range<A>() const                       the numbers with which no step overflows an A,
//                                                            and after which the slots still lie in their
//                                                            range
//   std::array<A, n> constants<A>(std::int64_t step) const   what all numbers of step 1, 2, ... share
//   static N next(std::array<N, n> const& constants, N const& w, N const& g, std::array<N, slots>& slot)
//                                                            the weight after the step; changes its slots
//   static constexpr bool in_batches = true                  left out, `next` is called with one number
//
// `next` is a template over its number N: the host calls it with an A, and a device with a number that writes
// down how it is computed (source/traced.hpp). Functions of the C library are called without std::, as there.
// A rule that is `in_batches` is called with as many numbers as a register holds (simd/batch.hpp): they have
// +, -, *, /, sqrt, fabs, min, max, exp, log and pow.
//
// sgd.hpp and adam.hpp are one rule each.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/simd/lanes.hpp>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sluice {

/// The numbers from `low` to `high`; NaN is none of them.
struct interval {
    double low = 0;
    double high = 0;

    template <class S>
    bool contains(std::span<S const> numbers) const;
};

constexpr interval symmetric(double high) {
    return {-high, high};
}

template <std::size_t Slots>
struct step_range {
    interval weights;
    interval gradients;
    std::array<interval, Slots> of_slots;
};

namespace detail {

/// A rule that multiplies with at most `factor` times the learning rate, in numbers of type S.
template <class S>
void require_learning_rate(std::string_view rule, double rate, double factor = 1) {
    constexpr double largest = std::numeric_limits<S>::max();
    if (!(rate >= 0 && rate * factor <= largest))
        fail<std::invalid_argument>(
            {rule, " expects a learning rate from 0 to ", largest / factor, ", but it is ", rate});
}

/// The factor of a running average must be below 1 as an S, too: at 1 nothing is ever forgotten.
template <class S>
void require_decay(std::string_view rule, std::string_view setting, double factor) {
    if (!(factor >= 0 && factor < 1 && static_cast<S>(factor) < 1))
        fail<std::invalid_argument>(
            {rule, " expects ", setting,
             " from 0 to below 1, also when rounded to the cell's numbers, but it is ", factor});
}

/// A weight after a step, as one to keep: of those that an S cannot hold the last that it can.
template <class S>
S rounded_weight(arithmetic_of<S> computed) {
    if constexpr (is_own_arithmetic<S>)
        return computed;
    else {
        auto const largest = static_cast<arithmetic_of<S>>(arithmetic<S>::largest);
        return rounded<S>(std::clamp(computed, -largest, largest));
    }
}

// What batches compute has their lanes in its name: a file that was compiled for another instruction set has
// its own.

/// Whether all numbers are from `low` to `high`; NaN is not.
template <class S, std::size_t Lanes = batches::widest<S>>
bool all_between(std::span<S const> numbers, arithmetic_of<S> low, arithmetic_of<S> high) {
    std::size_t i = 0;
    bool all_are = true;
    if constexpr (Lanes > 1) {
        using batch = batches::batch<S, Lanes>;
        batch const lowest(low), highest(high);
        auto const are = [&](S const* p) {
            batch const z = batch::load(p);
            return (z >= lowest) & (z <= highest);
        };
        auto even = batch(0) == batch(0), odd = even;
        for (; i + 2 * Lanes <= numbers.size(); i += 2 * Lanes) {
            even = even & are(numbers.data() + i);
            odd = odd & are(numbers.data() + i + Lanes);
        }
        all_are = all(even & odd);
    }
    for (; i < numbers.size(); ++i) {
        auto const number = widened(numbers[i]);
        all_are = all_are && number >= low && number <= high;
    }
    return all_are;
}

/// step_numbers, a batch at a time. The last numbers are one too, filled up with zeros, and this
/// function is not inline: so the same instructions compute a number wherever it lies.
template <class Rule, class S, std::size_t Lanes, std::size_t Constants, std::size_t Slots>
[[gnu::noinline]] void step_in_batches(std::array<S, Constants> const& constants, std::span<S> w,
                                       std::span<S const> g, std::array<S*, Slots> const& kept) {
    using batch = batches::batch<S, Lanes>;
    std::array<batch, Constants> of_all;
    std::ranges::copy(constants, of_all.begin());
    for (std::size_t i = 0; i < w.size(); i += Lanes) {
        std::size_t const left = w.size() - i;
        auto const load = [&](S const* p) { return batches::load_first<S, Lanes>(p + i, left); };
        std::array<batch, Slots> slot;
        for (std::size_t k = 0; k < Slots; ++k)
            slot[k] = load(kept[k]);
        batch const stepped = Rule::next(of_all, load(w.data()), load(g.data()), slot);
        for (std::size_t k = 0; k < Slots; ++k)
            batches::store_first(slot[k], kept[k] + i, left);
        batches::store_first(stepped, w.data() + i, left);
    }
}

/// One step of the numbers w with the gradients g and their slots.
template <class Rule, class S, std::size_t Slots>
void step_numbers(Rule const& rule, std::int64_t step, std::span<S> w, std::span<S const> g,
                  std::array<arithmetic_of<S>*, Slots> const kept) {
    using number = arithmetic_of<S>;
    auto const constants = rule.template constants<number>(step);
    if constexpr (batches::takes_batches<Rule> && batches::has_batches<S>)
        step_in_batches<Rule, S, batches::widest<S>>(constants, w, g, kept);
    else
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            for (std::size_t i = 0; i < w.size(); ++i) {
                std::array<number, Slots> slot{kept[I][i]...};
                number const stepped = Rule::next(constants, widened(w[i]), widened(g[i]), slot);
                ((kept[I][i] = slot[I]), ...);
                w[i] = rounded_weight<S>(stepped);
            }
        }
    (std::make_index_sequence<Slots>{});
}

} // namespace detail

template <class S>
bool interval::contains(std::span<S const> numbers) const {
    using number = arithmetic_of<S>;
    return detail::all_between(numbers, static_cast<number>(low), static_cast<number>(high));
}

} // namespace sluice
