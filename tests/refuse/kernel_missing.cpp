// SPDX-License-Identifier: BSL-1.0
// The kernels of a backend have no outer product.
// expect: sluice: the kernels of the backend lack outer\(m, n, k, a, lda, d, ldd, g, ldg, add\); see backend/kernels.hpp
#include <sluice/execute/run.hpp>

using size = std::size_t;

struct my_kernels {
    static constexpr bool is_host = true, packs = false;
    template <class S>
    static S* allocate(size count) {
        return new S[count];
    }
    static void release(float* p, size) { delete[] p; }
    static void upload(size, float const*, float*) {}
    static void download(size, float const*, float*) {}
    static void wait() {}

    template <class>
    struct matrix {};
    template <class S>
    static matrix<S> pack(sluice::matrix_extents const&, S const*, bool) {
        return {};
    }
    static void product(size, size, size, float const*, size, matrix<float> const&,
                        sluice::matrix_part const&, float*, size, bool) {}
#ifdef ACCEPT
    static void outer(size, size, size, float const*, size, float const*, size, float*, size, bool) {}
#endif
    static void total(size, size, float const*, size, float*, bool) {}
    static void copy(size, size, float const*, size, float*, size) {}
    static void clear(size, size, float*, size) {}
    template <class Program, class S = float>
    static void pointwise(sluice::block_frame<S> const&) {}
};

using sweep_run = sluice::sweep_run<float, my_kernels>;
void run(sweep_run& sweep, sweep_run::weights_type const& weights) {
    sweep.run(weights);
}
