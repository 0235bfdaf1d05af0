// SPDX-License-Identifier: BSL-1.0
// Pieces of work that threads divide: each knows how to do one part of so many. No number is computed in another way
// than by one thread: sums are not divided.
//
//   product            by columns of W, so that a thread always reads the same part of the weights, which its caches keep
//   outer product      by columns, or by rows where there are more of them
//   sum over rows, copies   by columns; by rows
//   pointwise block    by columns, where each element is computed by itself; otherwise by rows
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/lower/block.hpp>
#include <sluice/xtensor/kernels.hpp>

namespace sluice::xtensor {

/// What a thread does of so many elements: whole batches of them.
struct share {
    std::size_t first, count;

    template <class S>
    static share of(std::size_t all, unsigned part, unsigned parts) {
        constexpr std::size_t lanes = 64 / sizeof(S);
        std::size_t const batches = (all + lanes - 1) / lanes;
        std::size_t const first = std::min(all, batches * part / parts * lanes);
        return {first, std::min(all, batches * (part + 1) / parts * lanes) - first};
    }
    static share of_rows(std::size_t all, unsigned part, unsigned parts) {
        std::size_t const first = all * part / parts;
        return {first, all * (part + 1) / parts - first};
    }
};

/// C[m, n] = A[m, k] W[k, n], or added to C.
template <class S>
struct product_work {
    std::size_t m, n, k;
    S const* a;
    std::size_t lda;
    packed_matrix<S> const* w;
    matrix_part from;
    S* c;
    std::size_t ldc;
    bool add;

    void operator()(unsigned part, unsigned parts) const {
        auto const [first, count] = share::of<S>(n, part, parts);
        multiply_packed(m, count, k, a, lda, *w, {from.group, from.row, from.column + first}, c + first, ldc,
                        add);
    }
    S const* end_of_a() const { return m == 0 ? a : a + (m - 1) * lda + k; }
    S* end_of_c() const { return m == 0 ? c : c + (m - 1) * ldc + n; }
};

/// G[m, n] = A[k, m]^T D[k, n].
template <class S>
struct outer_work {
    std::size_t m, n, k;
    S const* a;
    std::size_t lda;
    S const* d;
    std::size_t ldd;
    S* g;
    std::size_t ldg;

    void operator()(unsigned part, unsigned parts) const {
        if (n >= m || n >= 64 * std::size_t(parts)) {
            auto const [first, count] = share::of<S>(n, part, parts);
            multiply_outer(m, count, k, a, lda, d + first, ldd, g + first, ldg);
        } else {
            auto const [first, count] = share::of<S>(m, part, parts);
            multiply_outer(count, n, k, a + first, lda, d, ldd, g + first * ldg, ldg);
        }
    }
};

/// S[n] = the sum over the m rows of A[m, n].
template <class S>
struct total_work {
    std::size_t m, n;
    S const* a;
    std::size_t lda;
    S* sums;

    void operator()(unsigned part, unsigned parts) const {
        auto const [first, count] = share::of<S>(n, part, parts);
        kernels::total(m, count, a + first, lda, sums + first);
    }
};

/// C[m, n] = A[m, n], or 0 where there is no A.
template <class S>
struct copy_work {
    std::size_t m, n;
    S const* a;
    std::size_t lda;
    S* c;
    std::size_t ldc;

    void operator()(unsigned part, unsigned parts) const {
        auto const [first, count] = share::of_rows(m, part, parts);
        if (a == nullptr)
            kernels::clear(count, n, c + first * ldc, ldc);
        else
            kernels::copy(count, n, a + first * lda, lda, c + first * ldc, ldc);
    }
};

/// The block of a frame, whose operands and counts are copied.
template <class Program, class S>
struct block_work {
    using operand = typename block_frame<S>::operand;
    static constexpr std::size_t operands = static_cast<std::size_t>(Program::loads + Program::stores);

    block_frame<S> frame;
    bool by_columns;
    std::array<operand, operands + 1> all{};
    std::array<std::size_t, static_cast<std::size_t>(Program::codes) + 1> counts{};

    block_work(block_frame<S> const& f, bool columns) : frame(f), by_columns(columns) {
        std::copy_n(f.loads, Program::loads, all.begin());
        std::copy_n(f.stores, Program::stores, all.begin() + Program::loads);
        std::copy_n(f.counts, Program::codes, counts.begin());
    }

    /// Whether each element is computed by itself, and operands lie side by side.
    static bool has_free_columns(block_frame<S> const& f) { return is_elementwise && f.columns == f.piece; }

    void operator()(unsigned part, unsigned parts) const {
        auto const [first, count] =
            by_columns ? share::of<S>(frame.columns, part, parts) : share::of_rows(frame.rows, part, parts);
        if (count == 0)
            return;
        std::array<operand, operands + 1> mine = all;
        block_frame<S> f = frame;
        f.loads = mine.data();
        f.stores = mine.data() + Program::loads;
        f.counts = counts.data();
        for (std::size_t i = 0; i < operands; ++i)
            if (mine[i].data != nullptr && !(by_columns && is_per_row(static_cast<int>(i))))
                mine[i].data += first * (by_columns ? 1 : mine[i].row);
        (by_columns ? f.columns : f.rows) = count;
        f.piece = by_columns ? count : f.piece;
        if constexpr (keeps) // each thread has rows of its own
            if (part > 0) {
                thread_local aligned_numbers<S> kept;
                kept.resize(std::max(kept.size(), static_cast<std::size_t>(Program::registers) * f.kept_row));
                f.kept = kept.data();
            }
        kernels::pointwise<Program>(f);
    }

private:
    static constexpr bool is_per_row(int operand) {
        return operand < Program::loads ? Program::is_per_row(operand)
                                        : Program::is_store_per_row(operand - Program::loads);
    }
    static constexpr bool is_elementwise = [] {
        for (int i = 0; i < Program::codes; ++i)
            if (Program::code(i).kind == op::reduce || is_row_function(Program::code(i).kind))
                return false;
        for (int i = 0; i < Program::stores; ++i)
            if (Program::is_store_per_row(i))
                return false;
        return true;
    }();
    static constexpr bool keeps = [] {
        for (int r = 0; r < Program::registers; ++r)
            if (Program::is_kept(r))
                return true;
        return false;
    }();
};

} // namespace sluice::xtensor
