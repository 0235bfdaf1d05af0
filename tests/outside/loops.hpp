// SPDX-License-Identifier: BSL-1.0
// A backend that a user adds: kernels made of loops. CONTRIBUTING's row `a backend` says what more one that
// is shipped has.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/net/plan_lowering.hpp>
#include <utility>
#include <vector>

namespace outside {

struct loops {
    using size = std::size_t;

    static constexpr bool is_host = true;
    static constexpr bool packs = false;

    template <class S>
    static S* allocate(size count) {
        return new S[count];
    }
    template <class S>
    static void release(S* p, size) {
        delete[] p;
    }
    template <class S>
    static void upload(size count, S const* host, S* to) {
        std::copy_n(host, count, to);
    }
    template <class S>
    static void download(size count, S const* from, S* host) {
        std::copy_n(from, count, host);
    }
    static void wait() {}

    template <class S>
    struct matrix {
        S const* values = nullptr;
        size group = 0, row = 0, column = 0; ///< how far apart they lie
    };
    template <class S>
    static matrix<S> pack(sluice::matrix_extents const& e, S const* host, bool transposed) {
        if (transposed)
            return {host, e.rows * e.columns, 1, e.columns};
        return {host, e.rows * e.columns, e.columns, 1};
    }
    template <class S>
    static void product(size m, size n, size k, S const* a, size lda, matrix<S> const& w,
                        sluice::matrix_part const& part, S* c, size ldc, bool add) {
        S const* const from = w.values + part.group * w.group + part.row * w.row + part.column * w.column;
        multiply(m, n, k, a, lda, 1, from, w.row, w.column, c, ldc, add);
    }
    template <class S>
    static void outer(size m, size n, size k, S const* a, size lda, S const* d, size ldd, S* g, size ldg,
                      bool add) {
        multiply(m, n, k, a, 1, lda, d, ldd, 1, g, ldg, add);
    }
    template <class S>
    static void total(size m, size n, S const* a, size lda, S* s, bool add) {
        S const one = 1;
        multiply(1, n, m, &one, 0, 0, a, lda, 1, s, n, add);
    }
    template <class S>
    static void copy(size m, size n, S const* a, size lda, S* c, size ldc) {
        for (size r = 0; r < m; ++r)
            std::copy_n(a + r * lda, n, c + r * ldc);
    }
    template <class S>
    static void clear(size m, size n, S* c, size ldc) {
        for (size r = 0; r < m; ++r)
            std::fill_n(c + r * ldc, n, S(0));
    }
    template <class Program, class S>
    static void pointwise(sluice::block_frame<S> const& f) {
        for (size r = 0; r < f.rows; ++r) {
            registers<Program, S> z;
            for (size i = 0; i < Program::loads; ++i)
                for (size c = 0; c < columns<Program>(f, i); ++c)
                    z[i].push_back(*f.loads[i].at(r, c));
            [&]<int... I>(std::integer_sequence<int, I...>) {
                (execute<Program, I>(f, z), ...);
            }
            (std::make_integer_sequence<int, Program::codes>{});
            for (size i = 0; i < Program::stores; ++i) {
                auto const& y = z[static_cast<size>(Program::stored(static_cast<int>(i)))];
                for (size c = 0; c < (Program::is_store_per_row(static_cast<int>(i)) ? 1 : f.columns); ++c)
                    *f.stores[i].at(r, c) = y[y.size() == 1 ? 0 : c];
            }
        }
    }

private:
    /// C[i, j] = sum of A[i, l] B[l, j], with rows and columns so far apart.
    template <class S>
    static void multiply(size m, size n, size k, S const* a, size a_row, size a_column, S const* b,
                         size b_row, size b_column, S* c, size ldc, bool add) {
        for (size i = 0; i < m; ++i)
            for (size j = 0; j < n; ++j) {
                S sum = add ? c[i * ldc + j] : S(0);
                for (size l = 0; l < k; ++l)
                    sum += a[i * a_row + l * a_column] * b[l * b_row + j * b_column];
                c[i * ldc + j] = sum;
            }
    }

    /// Each has a number for each column of a row, or one for all.
    template <class Program, class S>
    using registers = std::array<std::vector<S>, Program::registers>;
    template <class Program, class S>
    static size columns(sluice::block_frame<S> const& f, size i) {
        return Program::is_per_row(static_cast<int>(i)) ? 1 : f.columns;
    }

    template <class Program, int I, class S>
    static void execute(sluice::block_frame<S> const& f, registers<Program, S>& z) {
        constexpr sluice::instruction next = Program::code(I);
        auto& y = z[Program::loads + I];
        y.resize(columns<Program>(f, Program::loads + I));
        auto const operand = [&](int o, size c) {
            auto const& of = z[static_cast<size>(Program::operand(I, o))];
            return of[of.size() == 1 ? 0 : c];
        };
        if constexpr (next.kind == sluice::op::number)
            std::fill(y.begin(), y.end(), static_cast<S>(next.value));
        else if constexpr (next.kind == sluice::op::features)
            std::fill(y.begin(), y.end(), static_cast<S>(f.counts[I]));
        else if constexpr (next.kind == sluice::op::spread)
            for (size c = 0; c < y.size(); ++c)
                y[c] = operand(0, c);
        else {
            using function = typename Program::operations::template at<next.function>;
            if constexpr (next.kind == sluice::op::reduce) {
                y[0] = function::template start<S>();
                for (size c = 0; c < f.columns; ++c)
                    y[0] = function::combine(y[0], operand(0, c));
            } else
                [&]<int... O>(std::integer_sequence<int, O...>) {
                    for (size c = 0; c < y.size(); ++c)
                        y[c] = function::value(operand(O, c)...);
                }
            (std::make_integer_sequence<int, next.operands.count>{});
        }
    }
};
struct by_loops {
    template <class Page, class S>
    using lowering = sluice::plan_lowering<Page, S, loops>;
};

} // namespace outside
