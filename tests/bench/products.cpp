// SPDX-License-Identifier: BSL-1.0
// Products of packed matrices against those of the BLAS after xtensor-blas, and against what the machine can
// add and multiply at most: medians of rounds in which they take turns, in GFLOP/s. Then outer products, and
// packing.
//
//   bench_products [rounds]        OPENBLAS_NUM_THREADS=1 measures one thread
#include "cells/machine.hpp"
#include "cells/numbers.hpp"
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <sluice/xtensor/host_kernels.hpp>
#include <vector>
#include <xtensor-blas/xblas.hpp>

namespace {

using blas_count = xt::blas_index_t;
using clock_type = std::chrono::steady_clock;
using counts = std::initializer_list<std::size_t>;

double median(std::vector<double>& of) {
    std::sort(of.begin(), of.end());
    return of[of.size() / 2];
}

/// GFLOP/s of so many calls.
template <class F>
double rate(double operations, std::size_t calls, F const& call) {
    auto const start = clock_type::now();
    for (std::size_t i = 0; i < calls; ++i)
        call();
    std::chrono::duration<double, std::nano> const taken = clock_type::now() - start;
    return operations * static_cast<double>(calls) / taken.count();
}

/// What the machine can do at most, in one round.
double peak() {
    bench::machine m;
    m.measure_flops();
    return m.flops / 1e9;
}

struct row {
    std::vector<double> packed{}, blas{}, best{};
};

} // namespace

int main(int argc, char** argv) {
    int rounds = 15;
    try {
        if (argc > 1)
            rounds = bench::number_in<int>(argv[1], "the number of rounds", 1, 10'000);
    } catch (std::runtime_error const& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 2;
    }
    std::printf("float, C[m, n] = A[m, k] W[k, n], n = 3 k, GFLOP/s\n"
                "   k    m   packed     BLAS     peak   packed/BLAS   packed/peak\n");
    for (std::size_t const k : counts{16, 32, 64, 128, 256, 512, 1024})
        for (std::size_t const m : counts{1, 2, 4, 8, 16, 64}) {
            std::size_t const n = 3 * k;
            std::vector<float> const a(m * k, 0.5f), w(k * n, 0.25f);
            std::vector<float> c(m * n);
            auto const packed = sluice::xtensor::kernels::pack<float>({1, k, n}, w.data(), false);
            double const operations = 2.0 * static_cast<double>(m * n * k);
            auto const calls = std::max<std::size_t>(1, static_cast<std::size_t>(2e7 / operations));
            row of;
            for (int round = 0; round < rounds; ++round) {
                of.packed.push_back(rate(operations, calls, [&] {
                    sluice::xtensor::multiply_packed(m, n, k, a.data(), k, packed, {}, c.data(), n, false,
                                                     {});
                }));
                of.blas.push_back(rate(operations, calls, [&] {
                    auto const i = [](std::size_t v) { return static_cast<blas_count>(v); };
                    if (m == 1)
                        cxxblas::gemv<blas_count>(cxxblas::RowMajor, cxxblas::Trans, i(k), i(n), 1.0f,
                                                  w.data(), i(n), a.data(), 1, 0.0f, c.data(), 1);
                    else
                        cxxblas::gemm<blas_count>(cxxblas::RowMajor, cxxblas::NoTrans, cxxblas::NoTrans, i(m),
                                                  i(n), i(k), 1.0f, a.data(), i(k), w.data(), i(n), 0.0f,
                                                  c.data(), i(n));
                }));
                of.best.push_back(peak());
            }
            double const packed_rate = median(of.packed), blas = median(of.blas), best = median(of.best);
            std::printf("%4zu %4zu %8.1f %8.1f %8.1f %13.2f %13.2f\n", k, m, packed_rate, blas, best,
                        packed_rate / blas, packed_rate / best);
            std::fflush(stdout);
        }
    std::printf(
        "G[m, n] = A[k, m]^T D[k, n], GFLOP/s, and packing of an m x n matrix, and of its transpose, GB/s\n"
        "   k     m     n    outer     peak   outer/peak     pack  transposed\n");
    for (auto const& shape : {std::array<std::size_t, 3>{50, 512, 1024},
                              {1600, 256, 384},
                              {1600, 512, 1024},
                              {1600, 1024, 2048},
                              {25600, 256, 512}}) {
        std::size_t const k = shape[0], m = shape[1], n = shape[2];
        std::vector<float> const a(k * m, 0.5f), d(k * n, 0.25f);
        std::vector<float> g(m * n);
        double const operations = 2.0 * static_cast<double>(m * n * k),
                     bytes = 2.0 * sizeof(float) * static_cast<double>(m * n);
        auto const calls = std::max<std::size_t>(1, static_cast<std::size_t>(2e7 / operations));
        std::vector<double> outer, best, pack[2];
        for (int round = 0; round < rounds; ++round) {
            outer.push_back(rate(operations, calls, [&] {
                sluice::xtensor::multiply_outer(m, n, k, a.data(), m, d.data(), n, g.data(), n, false);
            }));
            best.push_back(peak());
            for (bool const transposed : {false, true})
                pack[transposed].push_back(rate(bytes, 4, [&] {
                    sluice::xtensor::kernels::pack<float>({1, m, n}, g.data(), transposed);
                }));
        }
        double const outer_rate = median(outer), most = median(best);
        std::printf("%5zu %4zu %5zu %8.1f %8.1f %12.2f %8.1f %11.1f\n", k, m, n, outer_rate, most,
                    outer_rate / most, median(pack[0]), median(pack[1]));
    }
}
