// SPDX-License-Identifier: BSL-1.0
// Numbers in a row that are no multiple of a batch, or of another precision than it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/core/arithmetic.hpp>
#include <sluice/simd/simd.hpp>
#include <span>
#include <type_traits>

namespace sluice::batches {

/// The first `count` numbers, and `rest` in the lanes after them. All lanes are loaded where `count` is at
/// least as large as their number.
template <class S, std::size_t Lanes = widest<S>>
batch<S, Lanes> load_first(S const* p, std::size_t count, S rest = S(0)) {
    if (count >= Lanes)
        return batch<S, Lanes>::load(p);
    std::array<S, Lanes> lanes;
    lanes.fill(rest);
    std::copy_n(p, count, lanes.begin());
    return batch<S, Lanes>::load(lanes.data());
}

/// Stores as many lanes as `count` says, or all.
template <class S, std::size_t Lanes>
void store_first(batch<S, Lanes> const& z, S* p, std::size_t count) {
    if (count >= Lanes)
        return z.store(p);
    std::array<S, Lanes> lanes;
    z.store(lanes.data());
    std::copy_n(lanes.begin(), count, p);
}

/// Loads numbers of any precision, as those of the batch.
template <class B, class S>
[[gnu::always_inline]] inline B load_as(S const* p) {
    using numbers = typename detail::vector_of<S, B::size>::anywhere;
    return __builtin_convertvector(*reinterpret_cast<numbers const*>(p), typename B::vector);
}
/// Stores them as numbers of any precision.
template <class S, class B>
[[gnu::always_inline]] inline void store_as(B const& z, S* p) {
    *reinterpret_cast<typename detail::vector_of<S, B::size>::anywhere*>(p) =
        __builtin_convertvector(z.v, typename detail::vector_of<S, B::size>::type);
}

/// The lanes by one function of two numbers, from the first to the last.
template <class S, std::size_t Lanes, class F>
S fold(batch<S, Lanes> const& z, F const& f) {
    std::array<S, Lanes> lanes;
    z.store(lanes.data());
    S all = lanes[0];
    for (std::size_t i = 1; i < Lanes; ++i)
        all = f(all, lanes[i]);
    return all;
}

/// Doubles that are computed at once, of numbers that are kept as S.
template <class S>
inline constexpr std::size_t doubles_of = has_batches<std::remove_const_t<S>> ? widest<double> : 1;

/// The number at p as a double, or as many of them as a batch of doubles has.
template <class D, class S>
D in_doubles(S const* p) {
    if constexpr (std::is_same_v<D, double>)
        return in_double(*p);
    else
        return load_as<D>(p);
}

/// The sum of f(D(0))(i), numbers from i on, where D is a batch of doubles or, at the end, a double. What
/// f(D(0)) keeps is computed once.
template <std::size_t Lanes, class F>
double sum_in_doubles(std::size_t count, F const& f) {
    std::size_t i = 0;
    double sum = 0;
    if constexpr (Lanes > 1) {
        using several = batch<double, Lanes>;
        several first(0), second(0), third(0), fourth(0); // an addition waits for the one before it
        auto const term = f(several(0));
        for (; i + 4 * Lanes <= count; i += 4 * Lanes) {
            first = first + term(i);
            second = second + term(i + Lanes);
            third = third + term(i + 2 * Lanes);
            fourth = fourth + term(i + 3 * Lanes);
        }
        for (; i + Lanes <= count; i += Lanes)
            first = first + term(i);
        sum = fold((first + second) + (third + fourth), [](double a, double b) { return a + b; });
    }
    for (auto const term = f(0.); i < count; ++i)
        sum += term(i);
    return sum;
}
/// row[i] = f(D(0))(i), as there. The function may read what it replaces.
template <std::size_t Lanes, class S, class F>
void replace_in_doubles(std::span<S> row, F const& f) {
    std::size_t i = 0;
    if constexpr (Lanes > 1)
        for (auto const number = f(batch<double, Lanes>(0)); i + Lanes <= row.size(); i += Lanes)
            store_as(number(i), row.data() + i);
    for (auto const number = f(0.); i < row.size(); ++i)
        row[i] = rounded<S>(number(i));
}

} // namespace sluice::batches
