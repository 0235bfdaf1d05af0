// SPDX-License-Identifier: BSL-1.0
// The kernels that a backend owes when it lets `plan_lowering` run the plans: a type with these static functions. A is
// [m, k] with rows `lda` apart, and so on; `add` says that C is added to.
//
//   product(m, n, k, a, lda, w, ldw, c, ldc, add)              C[m, n] = A[m, k] W[k, n]
//   product_transposed(m, n, k, d, ldd, w, ldw, c, ldc, add)   C[m, n] = D[m, k] W[n, k]^T
//   outer(m, n, k, a, lda, d, ldd, g, ldg)                     G[m, n] = A[k, m]^T D[k, n]
//   total(m, n, a, lda, s)                                     S[n] = sum over the m rows of A[m, n]
//   copy(m, n, a, lda, c, ldc)                                 C[m, n] = A[m, n]
//   clear(m, n, c, ldc)                                        C[m, n] = 0
//   pointwise<Program>(frame)                                  runs a block (lower/block.hpp) on the rows of a frame
//
// All matrices are row-major; `lda` may be zero, for rows that are all the same, except in products and outer
// products; every count may be zero, and then the result is zeros or nothing.
#pragma once

#include <cstddef>
#include <sluice/lower/block.hpp>
#include <type_traits>

namespace sluice {

template <class K, class S>
concept has_product = requires(std::size_t n, S const* in, S* out) {
    K::product(n, n, n, in, n, in, n, out, n, true);
};
template <class K, class S>
concept has_product_transposed = requires(std::size_t n, S const* in, S* out) {
    K::product_transposed(n, n, n, in, n, in, n, out, n, true);
};
template <class K, class S>
concept has_outer = requires(std::size_t n, S const* in, S* out) {
    K::outer(n, n, n, in, n, in, n, out, n);
};
template <class K, class S>
concept has_total = requires(std::size_t n, S const* in, S* out) {
    K::total(n, n, in, n, out);
};
template <class K, class S>
concept has_copies = requires(std::size_t n, S const* in, S* out) {
    K::copy(n, n, in, n, out, n);
    K::clear(n, n, out, n);
};
template <class K, class S>
concept has_pointwise = requires(block_frame<S> const& frame) {
    K::template pointwise<any_program>(frame);
};

template <class K, class S>
concept kernels_for = has_product<K, S> && has_product_transposed<K, S> && has_outer<K, S> &&
    has_total<K, S> && has_copies<K, S> && has_pointwise<K, S>;

/// Says in a sentence which kernel is missing.
template <class K, class S>
constexpr bool require_kernels() {
    static_assert(has_product<K, S>, "sluice: the kernels of the backend lack "
                                     "product(m, n, k, a, lda, w, ldw, c, ldc, add); see lower/kernels.hpp");
    static_assert(has_product_transposed<K, S>,
                  "sluice: the kernels of the backend lack "
                  "product_transposed(m, n, k, d, ldd, w, ldw, c, ldc, add); see lower/kernels.hpp");
    static_assert(has_outer<K, S>, "sluice: the kernels of the backend lack "
                                   "outer(m, n, k, a, lda, d, ldd, g, ldg); see lower/kernels.hpp");
    static_assert(has_total<K, S>,
                  "sluice: the kernels of the backend lack total(m, n, a, lda, s); see lower/kernels.hpp");
    static_assert(has_copies<K, S>, "sluice: the kernels of the backend lack copy(m, n, a, lda, c, ldc) or "
                                    "clear(m, n, c, ldc); see lower/kernels.hpp");
    static_assert(has_pointwise<K, S>,
                  "sluice: the kernels of the backend lack pointwise<Program>(frame); see lower/kernels.hpp");
    return kernels_for<K, S>;
}

/// Stands for kernels that were refused, so that no second error follows the first.
struct no_kernels {
    static void product(auto...) {}
    static void product_transposed(auto...) {}
    static void outer(auto...) {}
    static void total(auto...) {}
    static void copy(auto...) {}
    static void clear(auto...) {}
    template <class Program, class S>
    static void pointwise(block_frame<S> const&) {}
};
template <class K, class S>
using checked_kernels = std::conditional_t<require_kernels<K, S>(), K, no_kernels>;

} // namespace sluice
