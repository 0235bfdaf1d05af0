// SPDX-License-Identifier: BSL-1.0
// The kernels of a backend have no outer product.
// expect: sluice: the kernels of the backend lack outer\(m, n, k, a, lda, d, ldd, g, ldg\); see lower/kernels.hpp
#include <sluice/lower/run.hpp>

using size = std::size_t;

struct my_kernels {
    static void product(size, size, size, float const*, size, float const*, size, float*, size, bool) {}
    static void product_transposed(size, size, size, float const*, size, float const*, size, float*, size,
                                   bool) {}
#ifdef ACCEPT
    static void outer(size, size, size, float const*, size, float const*, size, float*, size) {}
#endif
    static void total(size, size, float const*, size, float*) {}
    static void copy(size, size, float const*, size, float*, size) {}
    static void clear(size, size, float*, size) {}
    template <class Program, class S = float>
    static void pointwise(sluice::block_frame<S> const&) {}
};

void run(sluice::sweep_run<float, my_kernels>& sweep, sluice::matrix_values<float> const& matrices) {
    sweep.run(matrices);
}
