// SPDX-License-Identifier: BSL-1.0
// The product of one row with panels (panels.hpp), of extents that the compiler knows: the step of a small
// cell.
//
//   C[n] += sum over k of A[k] W[k, n]          each in the order of k, as in tiles.hpp
#pragma once

#include <algorithm>
#include <cstddef>
#include <sluice/xtensor/panels.hpp>
#include <sluice/xtensor/simd/batches.hpp>
#include <utility>

namespace sluice::xtensor {

/// With columns from the vector `From` of W on.
template <class S, std::size_t N, std::size_t K, std::size_t From>
class row_tile {
    using batch = typename simd<S>::type;
    static constexpr std::size_t lanes = simd<S>::lanes;
    /// Sums at a time: as many as registers hold beside a number of A, and hide the time that one takes. With
    /// wider ones half of them, and where the first cache keeps what half of them read, but not all of it:
    /// the next step, which goes the other way, finds it there (tiles.hpp).
    static constexpr std::size_t kept = 32 * 1024 / (12 * lanes * sizeof(S)); ///< rows of W
    static constexpr std::size_t most = simd<S>::registers == 32 || (K > kept && K <= 2 * kept) ? 6 : 12;
    static constexpr std::size_t vectors = (N + lanes - 1) / lanes;
    using places = panel_places<lanes>;

public:
    /// Blocks of columns are visited from the last to the first if `last_first`: after a product that was
    /// not, what it read last is still in the caches.
    static void run(S const* a, S const* panels, places const& at, S* c, bool add, bool last_first = false) {
        run_from<0>(a, panels, at, c, add, last_first);
    }

private:
    template <std::size_t First>
    [[gnu::always_inline]] static void run_from(S const* a, S const* panels, places const& at, S* c, bool add,
                                                bool last_first) {
        if constexpr (First + most >= vectors)
            block<First>(a, panels, at, c, add);
        else {
            if (!last_first)
                block<First>(a, panels, at, c, add);
            run_from<First + most>(a, panels, at, c, add, last_first);
            if (last_first)
                block<First>(a, panels, at, c, add);
        }
    }
    template <std::size_t First>
    [[gnu::noinline]] static void block(S const* a, S const* panels, places const& at, S* c, bool add) {
        sum<First>(a, panels, at, c, add, std::make_index_sequence<std::min(most, vectors - First)>());
    }
    /// The sums are named one by one: of a loop over them g++ keeps them in memory, and adds there.
    template <std::size_t First, std::size_t... V>
    [[gnu::always_inline]] static void sum(S const* a, S const* panels, places const& at, S* c, bool add,
                                           std::index_sequence<V...>) {
        batch sums[sizeof...(V)];
        if (add)
            ((sums[V] = load(c, First + V)), ...);
        else
            ((sums[V] = batch(S(0))), ...);
        S const* const w[] = {panels + at(From + First + V)...};
        std::size_t const step = at.step;
        for (std::size_t k = 0, row = 0; k < K; ++k, row += step) {
            batch const x(a[k]);
            ((sums[V] = simd<S>::multiply_add(x, simd<S>::load(w[V] + row), sums[V])), ...);
        }
        (store(sums[V], c, First + V), ...);
    }

    /// Vector v of C; after its end nothing is read or written.
    [[gnu::always_inline]] static batch load(S const* c, std::size_t v) {
        if (N % lanes == 0 || v + 1 < vectors)
            return simd<S>::load(c + v * lanes);
        S part[lanes]{};
        std::copy_n(c + v * lanes, N % lanes, part);
        return simd<S>::load(part);
    }
    [[gnu::always_inline]] static void store(batch const& sum, S* c, std::size_t v) {
        if (N % lanes == 0 || v + 1 < vectors)
            return simd<S>::store(sum, c + v * lanes);
        S part[lanes];
        simd<S>::store(sum, part);
        std::copy_n(part, N % lanes, c + v * lanes);
    }
};

} // namespace sluice::xtensor
