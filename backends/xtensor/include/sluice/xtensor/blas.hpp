// SPDX-License-Identifier: BSL-1.0
// The products of the planned lowering, through xtensor-blas.
#pragma once

#include <algorithm>
#include <cstddef>
#include <xtensor-blas/xblas.hpp>

namespace sluice::xtensor {

template <class S>
void multiply(bool a_transposed, bool b_transposed, std::size_t m, std::size_t n, std::size_t k, S const* a,
              std::size_t lda, S const* b, std::size_t ldb, S* c, std::size_t ldc, bool add) {
    if (m == 0 || n == 0)
        return;
    auto const clear = [&] {
        for (std::size_t r = 0; r < m; ++r)
            std::fill_n(c + r * ldc, n, S(0));
    };
    if (k == 0) {
        if (!add)
            clear();
        return;
    }
    using index = xt::blas_index_t;
    auto const i = [](std::size_t v) { return static_cast<index>(v); };
    auto const flag = [](bool transposed) { return transposed ? cxxblas::Trans : cxxblas::NoTrans; };
    if (m == 1 && !a_transposed) { // a BLAS would pack all of b first, for one row
        if (!add)
            clear();
        return cxxblas::gemv<index>(cxxblas::RowMajor, flag(!b_transposed), i(b_transposed ? n : k),
                                    i(b_transposed ? k : n), S(1), b, i(ldb), a, i(1), S(1), c, i(1));
    }
    cxxblas::gemm<index>(cxxblas::RowMajor, flag(a_transposed), flag(b_transposed), i(m), i(n), i(k), S(1), a,
                         i(lda), b, i(ldb), S(add ? 1 : 0), c, i(ldc));
}

} // namespace sluice::xtensor
