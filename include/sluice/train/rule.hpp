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
//
// `next` is a template over its number N: the host calls it with an A, and a device with a number that writes
// down how it is computed (source/traced.hpp). Functions of the C library are called without std::, as there.
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
    bool contains(std::span<S const> numbers) const {
        auto const lowest = static_cast<arithmetic_of<S>>(low);
        auto const highest = static_cast<arithmetic_of<S>>(high);
        unsigned outside = 0;
        for (S const& kept : numbers) { // in this form compilers make SIMD of it
            auto const number = widened(kept);
            outside |= number >= lowest ? 0u : 1u;
            outside |= number <= highest ? 0u : 1u;
        }
        return outside == 0;
    }
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

/// One step of the numbers w with the gradients g and their slots.
template <class Rule, class S, std::size_t Slots>
void step_numbers(Rule const& rule, std::int64_t step, std::span<S> w, std::span<S const> g,
                  std::array<arithmetic_of<S>*, Slots> const kept) {
    using number = arithmetic_of<S>;
    auto const constants = rule.template constants<number>(step);
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

} // namespace sluice
