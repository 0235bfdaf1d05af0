// SPDX-License-Identifier: BSL-1.0
// Pieces of work that threads divide: each knows how to do one part of so many. No number is computed in
// another way than by one thread: sums are not divided.
//
//   product            by columns of W, so that a thread always reads the same part of the weights, which its
//                      caches keep; by those of each gate, where a step multiplies with several, so that
//                      the thread that made a unit's gates goes on with its state. By rows, where each thread
//                      has many: then it goes on with its rows from step to step and does not wait
//   outer product      by columns, or by rows where there are more of them
//   sum over rows, copies   by columns; by rows
//   matrix values      by groups of rows
//   pointwise block    by columns, where each element is computed by itself; otherwise by rows
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <sluice/backend/block.hpp>
#include <sluice/xtensor/host_kernels.hpp>

namespace sluice::xtensor {

/// Numbers of a cache line; threads never share one.
template <class S>
inline constexpr std::size_t cache_line = 64 / sizeof(S);

/// What a thread does of so many elements: whole lines of them.
struct share {
    std::size_t first, count;

    template <class S>
    static constexpr share of(std::size_t all, unsigned part, unsigned parts) {
        constexpr std::size_t line = cache_line<S>;
        std::size_t const lines = (all + line - 1) / line;
        std::size_t const first = std::min(all, lines * part / parts * line);
        return {first, std::min(all, lines * (part + 1) / parts * line) - first};
    }
    static constexpr share of_rows(std::size_t all, unsigned part, unsigned parts) {
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
    packed_matrix<arithmetic_of<S>> const* w;
    matrix_part from;
    S* c;
    std::size_t ldc;
    std::uint32_t add;                    ///< a truth value, without padding after it
    std::uint32_t by_rows = false;        ///< another
    static constexpr std::size_t few = 8; ///< rows, as steps have

    void operator()(unsigned part, unsigned parts) const {
        if (by_rows != 0) {
            auto const [first, count] = share::of_rows(m, part, parts);
            return multiply_packed(count, n, k, a + first * lda, lda, *w, from, c + first * ldc, ldc,
                                   add != 0, {});
        }
        std::size_t const of = parts == 1 ? n : divided_columns();
        if (parts > 1 && m < few) // others have just written most of it: it comes all at once
            for (std::size_t i = 0; i < k; i += cache_line<S>)
                for (std::size_t r = 0; r < m; ++r)
                    __builtin_prefetch(a + r * lda + i);
        auto const [first, count] = share::of<S>(of, part, parts);
        multiply_packed(m, count, k, a, lda, *w, {from.group, from.row, from.column + first, from.backward},
                        c + first, ldc, add != 0, {of == 0 ? 0 : n / of, of});
    }
    /// So many columns are divided, and the next ones like them.
    std::size_t divided_columns() const {
        std::size_t const of = w->part_columns();
        bool const are_whole = of > 0 && of % cache_line<S> == 0 && n % of == 0 && from.column % of == 0;
        return m < few && are_whole ? of : n;
    }
    S const* end_of_a() const { return m == 0 ? a : a + (m - 1) * lda + k; }
    S* end_of_c() const { return m == 0 ? c : c + (m - 1) * ldc + n; }
};

/// A product that was asked for, and may not be done by all threads.
class asked_product {
public:
    asked_product() = default;
    template <class S>
    explicit asked_product(product_work<S> const& w)
        : a_(w.a), end_of_a_(w.end_of_a()), c_(w.c), end_of_c_(w.end_of_c()), rows_(w.m),
          next_row_(w.ldc * sizeof(S)), divided_(w.divided_columns() * sizeof(S)) {}

    /// Whether both can be made at the same time: neither reads what the other writes, and if they write to
    /// the same place, each thread writes the same columns in both.
    bool is_beside(asked_product const& other) const {
        bool const same = c_ == other.c_ && end_of_c_ == other.end_of_c_ && rows_ == other.rows_ &&
                          next_row_ == other.next_row_ && divided_ == other.divided_;
        return are_apart(a_, end_of_a_, other.c_, other.end_of_c_) &&
               are_apart(other.a_, other.end_of_a_, c_, end_of_c_) &&
               (same || are_apart(c_, end_of_c_, other.c_, other.end_of_c_));
    }
    /// Whether a thread that goes through its columns of an operand of a block meets only what it has made
    /// itself.
    template <class S>
    bool is_followed_by(typename block_frame<S>::operand const& o, block_frame<S> const& f, bool per_row,
                        bool is_stored) const {
        if (o.data == nullptr || f.rows == 0)
            return true;
        S const* const end = o.data + (f.rows - 1) * o.row + (per_row ? 1 : f.columns);
        bool const is_read_by_others = is_stored && !are_apart(o.data, end, a_, end_of_a_);
        bool const is_divided_so = !per_row && divided_ > 0 && divided_ == f.columns * sizeof(S) &&
                                   f.rows == rows_ && (f.rows == 1 || o.row * sizeof(S) == next_row_);
        return !is_read_by_others &&
               (are_apart(o.data, end, c_, end_of_c_) || (is_divided_so && is_part(o.data, end)));
    }

private:
    void const *a_ = nullptr, *end_of_a_ = nullptr, *c_ = nullptr, *end_of_c_ = nullptr;
    std::size_t rows_ = 0, next_row_ = 0, divided_ = 0; ///< distances in bytes

    static bool are_apart(void const* a, void const* end_a, void const* b, void const* end_b) {
        std::less_equal<void const*> const before;
        return before(end_a, b) || before(end_b, a);
    }
    /// Whether this is, from its first row on, what is divided as a whole.
    bool is_part(void const* from, void const* end) const {
        std::less_equal<void const*> const before;
        return before(c_, from) && before(end, end_of_c_) &&
               static_cast<std::size_t>(static_cast<char const*>(from) - static_cast<char const*>(c_)) %
                       divided_ ==
                   0;
    }
};

/// Where an operand of work that is divided by rows lies.
struct rows_of_operand {
    void const* begin = nullptr;
    std::size_t row = 0;   ///< bytes from one row to the next; 0: all have the same
    std::size_t width = 0; ///< bytes of a row, up to the last that is read or written
    std::uint64_t writes = false;

    template <class S>
    static rows_of_operand of(S const* begin, std::size_t row, std::size_t width, bool writes) {
        return {begin, row * sizeof(S), width * sizeof(S), writes};
    }
    bool operator==(rows_of_operand const&) const = default;

    /// Whether threads that divide so many rows of both alike never meet: what one of them reads or writes of
    /// this, no other writes of that.
    bool is_beside(rows_of_operand const& that, std::size_t rows) const {
        if (!writes && !that.writes)
            return true;
        auto const a = address(), b = that.address();
        if (a + (rows - 1) * row + width <= b || b + (rows - 1) * that.row + that.width <= a)
            return true;
        return row == that.row && std::max(a + width, b + that.width) - std::min(a, b) <= row;
    }

private:
    std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(begin); }
};

/// Pieces of work that threads divide by the same rows, since they waited for each other last.
class rows_of_threads {
public:
    void clear() { rows_ = 0; }
    bool are(std::size_t rows) const { return rows > 0 && rows_ == rows; }
    /// Takes a piece in, if none of its rows meets one of another thread's. Otherwise it is to wait, and is
    /// the first of the next ones.
    template <std::size_t N>
    bool take(std::size_t rows, std::array<rows_of_operand, N> const& operands) {
        bool const is_beside =
            are(rows) && all_of(operands, [&](rows_of_operand const& o) {
                return std::all_of(all_.begin(), all_.begin() + count_,
                                   [&](auto const& other) { return o.is_beside(other, rows); });
            });
        if (!is_beside || !add_all(operands)) {
            rows_ = rows;
            count_ = 0;
            if (!add_all(operands))
                clear();
            return false;
        }
        return true;
    }

private:
    static constexpr std::size_t most = 64;
    std::size_t rows_ = 0;  ///< 0: the last piece was divided in another way
    std::size_t count_ = 0; ///< different operands of all pieces
    std::array<rows_of_operand, most> all_{};

    template <std::size_t N, class F>
    static bool all_of(std::array<rows_of_operand, N> const& operands, F const& f) {
        return std::all_of(operands.begin(), operands.end(),
                           [&](rows_of_operand const& o) { return o.begin == nullptr || f(o); });
    }
    template <std::size_t N>
    bool add_all(std::array<rows_of_operand, N> const& operands) {
        return all_of(operands, [&](rows_of_operand const& o) {
            auto const end = all_.begin() + count_;
            if (std::find(all_.begin(), end, o) != end)
                return true;
            if (count_ == most)
                return false;
            all_[count_++] = o;
            return true;
        });
    }
};

/// G[m, n] = A[k, m]^T D[k, n], or added to G.
template <class S>
struct outer_work {
    std::size_t m, n, k;
    S const* a;
    std::size_t lda;
    S const* d;
    std::size_t ldd;
    S* g;
    std::size_t ldg, add; ///< a truth value, without padding after it

    void operator()(unsigned part, unsigned parts) const {
        if (n >= m || n >= 64 * std::size_t(parts)) {
            auto const [first, count] = share::of<S>(n, part, parts);
            multiply_outer(m, count, k, a, lda, d + first, ldd, g + first, ldg, add != 0);
        } else {
            auto const [first, count] = share::of<S>(m, part, parts);
            multiply_outer(count, n, k, a + first, lda, d, ldd, g + first * ldg, ldg, add != 0);
        }
    }
};

/// S[n] = the sum over the m rows of A[m, n], or added to S.
template <class S>
struct total_work {
    std::size_t m, n;
    S const* a;
    std::size_t lda;
    S* sums;
    std::size_t add; ///< a truth value, without padding after it

    void operator()(unsigned part, unsigned parts) const {
        auto const [first, count] = share::of<S>(n, part, parts);
        kernels::total(m, count, a + first, lda, sums + first, add != 0);
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

/// A vector in a matrix value, or a sum over one, by groups of rows of the batch.
template <class S>
struct standing_work {
    standing how;
    std::size_t rows, is_fold; ///< a truth value, without padding after it
    typename block_frame<S>::operand a, c;

    void operator()(unsigned part, unsigned parts) const {
        auto const [first, count] = share::of_rows(rows * how.groups, part, parts);
        sluice::stand<S>(is_fold != 0, how, first, count, a, c);
    }
};

/// The block of a frame, whose operands and counts are copied.
template <class Program, class S>
struct block_work {
    using operand = typename block_frame<S>::operand;
    static constexpr std::size_t loads = static_cast<std::size_t>(Program::loads),
                                 operands = loads + static_cast<std::size_t>(Program::stores);

    block_frame<S> frame;
    bool by_columns;
    std::array<operand, operands + 1> all{};
    std::array<std::size_t, static_cast<std::size_t>(Program::codes) + 1> counts{};

    block_work(block_frame<S> const& f, bool columns) : frame(f), by_columns(columns) {
        std::copy_n(f.loads, Program::loads, all.begin());
        std::copy_n(f.stores, Program::stores, all.begin() + Program::loads);
        std::copy_n(f.counts, Program::codes, counts.begin());
    }

    /// Whether each thread can begin when its own part of the product is done.
    bool follows(asked_product const& product) const {
        for (std::size_t i = 0; i < operands; ++i)
            if (!product.is_followed_by<S>(all[i], frame, is_per_row(static_cast<int>(i)), i >= loads))
                return false;
        return by_columns;
    }
    /// All that it reads and writes.
    std::array<rows_of_operand, operands> rows() const {
        std::array<rows_of_operand, operands> result{};
        if (frame.columns == 0)
            return result;
        for (std::size_t i = 0; i < operands; ++i) {
            std::size_t const width =
                is_per_row(static_cast<int>(i)) ? 1 : all[i].offset(frame.columns - 1) + 1;
            if (all[i].data != nullptr)
                result[i] = rows_of_operand::of(all[i].data, all[i].row, width, i >= loads);
        }
        return result;
    }
    /// Whether each element is computed by itself, and operands lie side by side.
    static bool has_free_columns(block_frame<S> const& f) {
        return Program::is_elementwise && f.columns == f.piece;
    }

    void operator()(unsigned part, unsigned parts) const {
        if constexpr (Program::has_standing)
            return run_matrices(part, parts);
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
    void run_matrices(unsigned part, unsigned parts) const {
        auto const [first, count] = share::of_rows(frame.rows * frame.matrices.groups, part, parts);
        block_frame<S> f = frame;
        f.loads = all.data();
        f.stores = all.data() + Program::loads;
        f.counts = counts.data();
        kernels::matrices<Program>(f, first, count);
    }
    static constexpr bool keeps = [] {
        for (int r = 0; r < Program::registers; ++r)
            if (Program::is_read_later(r))
                return true;
        return false;
    }();
};

} // namespace sluice::xtensor
