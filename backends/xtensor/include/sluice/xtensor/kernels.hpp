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

namespace sluice::xtensor {

/// c[m,n] = a * b, or added to c, where a[m,k] and b[k,n] are transposed if it says so.
template <class S>
void multiply(bool a_transposed, bool b_transposed, std::size_t m, std::size_t n, std::size_t k, S const* a,
              std::size_t lda, S const* b, std::size_t ldb, S* c, std::size_t ldc, bool add);

struct kernels {
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
        multiply(false, w.transposed, m, n, k, a, lda, from, ldw, c, ldc, add);
    }
    template <class S>
    static void outer(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda, S const* d,
                      std::size_t ldd, S* g, std::size_t ldg) {
        multiply(true, false, m, n, k, a, lda, d, ldd, g, ldg, false);
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
};

} // namespace sluice::xtensor

#ifndef SLUICE_RUNTIME // otherwise it is compiled elsewhere, and the headers of xtensor-blas are not needed here
#include <sluice/xtensor/blas.hpp>
#endif
