// SPDX-License-Identifier: BSL-1.0
// Numbers in a row that are no multiple of a batch, or of another precision than it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/simd/simd.hpp>

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

} // namespace sluice::batches
