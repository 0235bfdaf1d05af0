// SPDX-License-Identifier: BSL-1.0
// The kernels of the planned lowering: products through xtensor-blas, pointwise blocks on xsimd batches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <sluice/lower/kernels.hpp>
#include <sluice/xtensor/pointwise.hpp>
#include <xtensor-blas/xblas.hpp>

namespace sluice::xtensor {

struct kernels {
    using blas_index = xt::blas_index_t;

    template <class S>
    static void product(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda, S const* w,
                        std::size_t ldw, S* c, std::size_t ldc, bool add) {
        gemm(cxxblas::NoTrans, cxxblas::NoTrans, m, n, k, a, lda, w, ldw, c, ldc, add);
    }
    template <class S>
    static void product_transposed(std::size_t m, std::size_t n, std::size_t k, S const* d, std::size_t ldd,
                                   S const* w, std::size_t ldw, S* c, std::size_t ldc, bool add) {
        gemm(cxxblas::NoTrans, cxxblas::Trans, m, n, k, d, ldd, w, ldw, c, ldc, add);
    }
    template <class S>
    static void outer(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda, S const* d,
                      std::size_t ldd, S* g, std::size_t ldg) {
        gemm(cxxblas::Trans, cxxblas::NoTrans, m, n, k, a, lda, d, ldd, g, ldg, false);
    }
    template <class S>
    static void total(std::size_t m, std::size_t n, S const* a, std::size_t lda, S* sums) {
        std::fill_n(sums, n, S(0));
        for (std::size_t r = 0; r < m; ++r)
            std::transform(a + r * lda, a + r * lda + n, sums, sums, std::plus<S>{});
    }
    template <class S>
    static void copy(std::size_t m, std::size_t n, S const* a, std::size_t lda, S* c, std::size_t ldc) {
        for (std::size_t r = 0; r < m; ++r)
            std::copy_n(a + r * lda, n, c + r * ldc);
    }
    template <class S>
    static void clear(std::size_t m, std::size_t n, S* c, std::size_t ldc) {
        for (std::size_t r = 0; r < m; ++r)
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
