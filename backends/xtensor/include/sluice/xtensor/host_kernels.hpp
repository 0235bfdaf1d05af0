// SPDX-License-Identifier: BSL-1.0
// The kernels of the planned lowering: products of packed weights, pointwise blocks, both on batches.
// Its memory is the host's.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <new>
#include <optional>
#include <sluice/backend/kernels.hpp>
#include <sluice/simd/batch_elementary.hpp>
#include <sluice/xtensor/denormals.hpp>
#include <sluice/xtensor/matrix_block.hpp>
#include <sluice/xtensor/panels.hpp>
#include <sluice/xtensor/pointwise.hpp>
#include <sluice/xtensor/row_step.hpp>
#include <sluice/xtensor/row_tile.hpp>
#include <sluice/xtensor/simd/activations.hpp>

namespace sluice::xtensor {

/// C[m, n] = A[m, k] W[k, n], a part of a packed matrix, or added to C; of several parts, n columns of each.
template <class S>
void multiply_packed(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda,
                     packed_matrix<S> const& w, matrix_part const& part, S* c, std::size_t ldc, bool add,
                     column_parts const& all);
/// G[m, n] = A[k, m]^T D[k, n].
template <class S>
void multiply_outer(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda, S const* d,
                    std::size_t ldd, S* g, std::size_t ldg, bool add);

/// The same of numbers that are computed in another type than they are kept in (storage.hpp).
template <class S>
    requires(!is_own_arithmetic<S>)
void multiply_packed(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda,
                     packed_matrix<arithmetic_of<S>> const& w, matrix_part const& part, S* c, std::size_t ldc,
                     bool add, column_parts const& all);
template <class S>
    requires(!is_own_arithmetic<S>)
void multiply_outer(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda, S const* d,
                    std::size_t ldd, S* g, std::size_t ldg, bool add);
template <class S>
    requires(!is_own_arithmetic<S>)
void sum_rows(std::size_t m, std::size_t n, S const* a, std::size_t lda, S* sums, bool add);

/// Of so many floats in a batch. What is compiled for other processors has another name: a program does not
/// link with a runtime whose batches are not its own.
template <std::size_t Lanes>
struct kernels_of_lanes {
    static constexpr bool is_host = true;
    static constexpr bool packs = true;

    /// From a line of the cache on, so that no batch lies in two of them.
    template <class S>
    static S* allocate(std::size_t count) {
        return static_cast<S*>(::operator new(count * sizeof(S), line));
    }
    template <class S>
    static void release(S* p, std::size_t) {
        ::operator delete(p, line);
    }
    static constexpr std::align_val_t line{64};
    template <class S>
    static void upload(std::size_t count, S const* host, S* to) {
        std::copy_n(host, count, to);
    }
    template <class S>
    static void download(std::size_t count, S const* from, S* host) {
        std::copy_n(from, count, host);
    }
    static void wait() {}
    static flushed_denormals session() { return {}; }

    template <class S>
    using matrix = packed_matrix<arithmetic_of<S>>;
    template <class S>
    static matrix<S> pack(matrix_extents const& extents, arithmetic_of<S> const* values, bool transposed) {
        matrix_columns<arithmetic_of<S>> const all{values, extents.columns};
        return {extents, std::span(&all, 1), transposed};
    }
    template <class S>
    static matrix<S> pack(matrix_extents const& extents,
                          std::span<matrix_columns<arithmetic_of<S>> const> parts, bool transposed) {
        return {extents, parts, transposed};
    }
    template <class S>
    static void pack_again(matrix<S>& packed, std::span<matrix_columns<arithmetic_of<S>> const> parts,
                           bool transposed) {
        packed.pack_again(parts, transposed);
    }

    template <class S>
    static void product(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda,
                        matrix<S> const& w, matrix_part const& part, S* c, std::size_t ldc, bool add) {
        multiply_packed(m, n, k, a, lda, w, part, c, ldc, add, {});
    }
    template <std::floating_point S>
    static std::optional<row_product<S>> find_product(std::size_t m, std::size_t n, std::size_t k,
                                                      matrix<S> const& w, matrix_part const& part, S* c,
                                                      bool add) {
        std::optional<row_product<S>> found(std::in_place, m, n, k, w, part, c, add);
        if (!found->is_found())
            found.reset();
        return found;
    }
    /// C[1, N] = A[1, K] W[K, N], or added to C, of extents that the compiler knows; rows of W begin with
    /// `Row`, columns with `Column`. `last_first`: columns are visited in the other direction, as after a
    /// step that went in this one.
    template <std::size_t N, std::size_t K, std::size_t Row, std::size_t Column, std::floating_point S>
    static void product_of_row(S const* a, matrix<S> const& w, S* c, bool add, bool last_first = false) {
        if constexpr (Column % simd<S>::lanes == 0)
            row_tile<S, N, K, Column / simd<S>::lanes>::run(a, w.panels(0) + Row * w.places().step,
                                                            w.places(), c, add, last_first);
        else
            product(1, N, K, a, K, w, matrix_part{0, Row, Column}, c, N, add);
    }
    /// All of a short step.
    template <class Step, class Frame>
        requires(std::floating_point<typename Step::scalar>&&
                     row_step<Step, typename Step::scalar, accurate>::is_short)
    static void step_of_row(Frame const& f) { row_step<Step, typename Step::scalar, accurate>::run(f); }
    template <class S>
    static void outer(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda, S const* d,
                      std::size_t ldd, S* g, std::size_t ldg, bool add) {
        multiply_outer(m, n, k, a, lda, d, ldd, g, ldg, add);
    }
    template <class S>
    static void total(std::size_t m, std::size_t n, S const* a, std::size_t lda, S* sums, bool add) {
        if constexpr (is_own_arithmetic<S>) {
            if (!add)
                std::fill_n(sums, n, S(0));
            std::size_t r = 0;
            for (; r + 4 <= m && n > 0; r += 4)
                add_rows<4>(n, a + r * lda, lda, sums);
            for (; r < m && n > 0; ++r)
                add_rows<1>(n, a + r * lda, lda, sums);
        } else
            sum_rows(m, n, a, lda, sums, add);
    }
    template <class S> // inlined: a step of few units copies its output
    [[gnu::always_inline]] static void copy(std::size_t m, std::size_t n, S const* a, std::size_t lda, S* c,
                                            std::size_t ldc) {
        constexpr std::size_t lanes = simd<S>::lanes;
        for (std::size_t r = 0; r < m && n > 0; ++r)
            if (n % lanes == 0 && n <= 8 * lanes) // a call would take longer
                for (std::size_t v = 0; v < n; v += lanes)
                    simd<S>::store(simd<S>::load(a + r * lda + v), c + r * ldc + v);
            else
                std::copy_n(a + r * lda, n, c + r * ldc);
    }
    template <class S>
    static void clear(std::size_t m, std::size_t n, S* c, std::size_t ldc) {
        for (std::size_t r = 0; r < m && n > 0; ++r)
            std::fill_n(c + r * ldc, n, S());
    }
    template <class Program, class S>
    static void pointwise(block_frame<S> const& frame) {
        run_block<program_with<Program, accurate>>(frame);
    }
    /// Some of the matrices of a block: group g of row r is number r * groups + g.
    template <class Program, class S>
    static void matrices(block_frame<S> const& frame, std::size_t first, std::size_t count) {
        matrix_kernel<program_with<Program, accurate>, S>::run(frame, first, count);
    }

private:
    /// Adds so many rows to the sums, one after the other.
    template <std::size_t Rows, class S>
    static void add_rows(std::size_t n, S const* a, std::size_t lda, S* sums) {
        constexpr std::size_t lanes = simd<S>::lanes;
        std::size_t c = 0;
        for (; c + lanes <= n; c += lanes) {
            auto sum = simd<S>::load(sums + c);
            for (std::size_t r = 0; r < Rows; ++r)
                sum = sum + simd<S>::load(a + r * lda + c);
            simd<S>::store(sum, sums + c);
        }
        for (; c < n; ++c)
            for (std::size_t r = 0; r < Rows; ++r)
                sums[c] += a[r * lda + c];
    }
};
using kernels = kernels_of_lanes<widest<float>>;

} // namespace sluice::xtensor

#ifndef SLUICE_RUNTIME // otherwise they are compiled elsewhere
#include <sluice/xtensor/product.hpp>
#endif
