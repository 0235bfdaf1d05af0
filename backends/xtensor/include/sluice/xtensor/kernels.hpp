// SPDX-License-Identifier: BSL-1.0
// The kernels of the planned lowering: products through xtensor-blas, pointwise blocks on xsimd batches. Its
// memory is the host's, and weights are multiplied with where they lie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <sluice/lower/kernels.hpp>
#include <sluice/xtensor/pointwise.hpp>
#include <utility>
#include <xtensor-blas/xblas.hpp>

namespace sluice::xtensor {

struct kernels {
    using blas_index = xt::blas_index_t;

    static constexpr bool is_host = true;
    static constexpr bool packs = false;

    template <class S>
    static S* allocate(std::size_t count) {
        return new S[count];
    }
    template <class S>
    static void release(S* p, std::size_t) {
        delete[] p;
    }
    template <class S>
    static void upload(std::size_t count, S const* host, S* to) {
        std::copy_n(host, count, to);
    }
    template <class S>
    static void download(std::size_t count, S const* from, S* host) {
        std::copy_n(from, count, host);
    }
    static void wait() {}

    template <class S>
    struct matrix {
        S const* values = nullptr;
        matrix_extents extents{};
        bool transposed = false;
    };
    template <class S>
    static matrix<S> pack(matrix_extents const& extents, S const* values, bool transposed) {
        return {values, extents, transposed};
    }

    template <class S>
    static void product(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda,
                        matrix<S> const& w, matrix_part part, S* c, std::size_t ldc, bool add) {
        std::size_t const ldw = w.extents.columns;
        if (w.transposed)
            std::swap(part.row, part.column);
        S const* const from = w.values + (part.group * w.extents.rows + part.row) * ldw + part.column;
        gemm(cxxblas::NoTrans, w.transposed ? cxxblas::Trans : cxxblas::NoTrans, m, n, k, a, lda, from, ldw,
             c, ldc, add);
    }
    template <class S>
    static void outer(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda, S const* d,
                      std::size_t ldd, S* g, std::size_t ldg) {
        gemm(cxxblas::Trans, cxxblas::NoTrans, m, n, k, a, lda, d, ldd, g, ldg, false);
    }
    template <class S>
    static void total(std::size_t m, std::size_t n, S const* a, std::size_t lda, S* sums) {
        std::fill_n(sums, n, S(0));
        for (std::size_t r = 0; r < m && n > 0; ++r)
            std::transform(a + r * lda, a + r * lda + n, sums, sums, std::plus<S>{});
    }
    template <class S>
    static void copy(std::size_t m, std::size_t n, S const* a, std::size_t lda, S* c, std::size_t ldc) {
        for (std::size_t r = 0; r < m && n > 0; ++r)
            std::copy_n(a + r * lda, n, c + r * ldc);
    }
    template <class S>
    static void clear(std::size_t m, std::size_t n, S* c, std::size_t ldc) {
        for (std::size_t r = 0; r < m && n > 0; ++r)
            std::fill_n(c + r * ldc, n, S(0));
    }
    template <class Program, class S>
    static void pointwise(block_frame<S> const& frame) {
        pointwise_kernel<Program, S>::run(frame);
    }

private:
    template <class S>
    static void gemm(cxxblas::Transpose ta, cxxblas::Transpose tb, std::size_t m, std::size_t n,
                     std::size_t k, S const* a, std::size_t lda, S const* b, std::size_t ldb, S* c,
                     std::size_t ldc, bool add) {
        if (m == 0 || n == 0)
            return;
        if (k == 0) {
            if (!add)
                clear(m, n, c, ldc);
            return;
        }
        auto const i = [](std::size_t v) { return static_cast<blas_index>(v); };
        if (m == 1 && ta == cxxblas::NoTrans) { // a BLAS would pack all of b first, for one row
            if (!add)
                clear(1, n, c, ldc);
            bool const transposed = tb != cxxblas::NoTrans;
            return cxxblas::gemv<blas_index>(
                cxxblas::RowMajor, transposed ? cxxblas::NoTrans : cxxblas::Trans, i(transposed ? n : k),
                i(transposed ? k : n), S(1), b, i(ldb), a, i(1), S(1), c, i(1));
        }
        cxxblas::gemm<blas_index>(cxxblas::RowMajor, ta, tb, i(m), i(n), i(k), S(1), a, i(lda), b, i(ldb),
                                  S(add ? 1 : 0), c, i(ldc));
    }
};

} // namespace sluice::xtensor
