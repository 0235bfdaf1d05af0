// SPDX-License-Identifier: BSL-1.0
// The kernels of a backend have no outer product.
// expect: sluice: the kernels of the backend lack outer\(m, n, k, a, lda, d, ldd, g, ldg\); see lower/kernels.hpp
#include <sluice/lower/run.hpp>

using count = std::size_t;

struct my_kernels {
    static void product(count, count, count, float const*, count, float const*, count, float*, count, bool) {}
    static void product_transposed(count, count, count, float const*, count, float const*, count, float*,
                                   count, bool) {}
#ifdef ACCEPT
    static void outer(count, count, count, float const*, count, float const*, count, float*, count) {}
#endif
    static void total(count, count, float const*, count, float*) {}
    static void copy(count, count, float const*, count, float*, count) {}
    static void clear(count, count, float*, count) {}
    template <class Program, class S = float>
    static void pointwise(sluice::block_frame<S> const&) {}
};

void run(sluice::sweep_run<float, my_kernels>& sweep, sluice::matrix_values<float> const& matrices) {
    sweep.run(matrices);
}
