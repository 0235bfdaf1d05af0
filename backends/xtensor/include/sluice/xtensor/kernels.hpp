// SPDX-License-Identifier: BSL-1.0
// The kernels of the planned lowering: products through xtensor-blas, pointwise blocks on xsimd batches.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/lower/execute.hpp>
#include <xsimd/xsimd.hpp>
#include <xtensor-blas/xblas.hpp>

namespace sluice::xtensor {

struct kernels {
    using blas_index = xt::blas_index_t;

    template <class S>
    static void gemm(cxxblas::Transpose ta, cxxblas::Transpose tb, std::size_t m, std::size_t n,
                     std::size_t k, S const* a, std::size_t lda, S const* b, std::size_t ldb, S* c,
                     std::size_t ldc) {
        if (m == 0 || n == 0)
            return;
        if (k == 0) {
            for (std::size_t r = 0; r < m; ++r)
                std::fill_n(c + r * ldc, n, S(0));
            return;
        }
        auto const i = [](std::size_t v) { return static_cast<blas_index>(v); };
        cxxblas::gemm<blas_index>(cxxblas::RowMajor, ta, tb, i(m), i(n), i(k), S(1), a, i(lda), b, i(ldb),
                                  S(0), c, i(ldc));
    }
    template <class S>
    static void product(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda, S const* w,
                        std::size_t ldw, S* c, std::size_t ldc) {
        gemm(cxxblas::NoTrans, cxxblas::NoTrans, m, n, k, a, lda, w, ldw, c, ldc);
    }
    template <class S>
    static void product_transposed(std::size_t m, std::size_t n, std::size_t k, S const* d, std::size_t ldd,
                                   S const* w, std::size_t ldw, S* c, std::size_t ldc) {
        gemm(cxxblas::NoTrans, cxxblas::Trans, m, n, k, d, ldd, w, ldw, c, ldc);
    }
    template <class S>
    static void outer(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda, S const* d,
                      std::size_t ldd, S* g, std::size_t ldg) {
        gemm(cxxblas::Trans, cxxblas::NoTrans, m, n, k, a, lda, d, ldd, g, ldg);
    }
    template <class S>
    static void column_sum(std::size_t m, std::size_t n, S const* a, std::size_t lda, S* sums) {
        std::fill_n(sums, n, S(0));
        for (std::size_t r = 0; r < m; ++r)
            std::transform(a + r * lda, a + r * lda + n, sums, sums, std::plus<S>{});
    }

    template <class Block, class S>
    static void pointwise(slot<S> const* loads, slot<S> const* stores, std::size_t t, std::size_t rows,
                          std::size_t segments, std::size_t columns) {
        using batch = typename simd<S>::type;
        constexpr std::size_t lanes = simd<S>::lanes;
        constexpr auto load_count = static_cast<std::size_t>(Block::program.loads.size());
        constexpr auto store_count = static_cast<std::size_t>(Block::program.stores.size());
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t g = 0; g < segments; ++g) {
                auto const address = [&](slot<S> const& s) {
                    return s.data + t * s.time + r * s.row + g * (s.group != 0 ? s.group : columns);
                };
                std::array<S*, load_count + 1> in{};
                std::array<S*, store_count + 1> out{};
                for (std::size_t i = 0; i < load_count; ++i)
                    in[i] = Block::is_scalar(static_cast<int>(i)) ? loads[i].data : address(loads[i]);
                for (std::size_t i = 0; i < store_count; ++i)
                    out[i] = address(stores[i]);
                std::size_t c = 0;
                for (; c + lanes <= columns; c += lanes)
                    evaluate<Block, batch>([&](auto i) { return simd<S>::load(in[i] + c); },
                                           [&](auto i) { return batch(*in[i]); },
                                           [&](auto i, batch v) { simd<S>::store(v, out[i] + c); });
                if (std::size_t const rest = columns - c;
                    rest > 0) // the same arithmetic on a partly filled batch
                    evaluate<Block, batch>(
                        [&](auto i) {
                            std::array<S, lanes> part{};
                            std::copy_n(in[i] + c, rest, part.data());
                            return simd<S>::load(part.data());
                        },
                        [&](auto i) { return batch(*in[i]); },
                        [&](auto i, batch v) {
                            std::array<S, lanes> part{};
                            simd<S>::store(v, part.data());
                            std::copy_n(part.data(), rest, out[i] + c);
                        });
            }
    }

private:
    /// The widest batch of the machine, or the scalar itself where there is none.
    template <class S>
    struct simd {
        using type = S;
        static constexpr std::size_t lanes = 1;
        static S load(S const* p) { return *p; }
        static void store(S v, S* p) { *p = v; }
    };
    template <class S>
        requires std::same_as<S, float> || std::same_as<S, double>
    struct simd<S> {
        using type = xsimd::batch<S>;
        static constexpr std::size_t lanes = type::size;
        static type load(S const* p) { return type::load_unaligned(p); }
        static void store(type v, S* p) { v.store_unaligned(p); }
    };

    /// An activation on a batch; one that was written for scalars only is called lane by lane.
    template <class F, class T>
    static T activate(T z) {
        if constexpr (requires {
                          { F::value(z) } -> std::convertible_to<T>;
                      })
            return F::value(z);
        else {
            std::array<typename T::value_type, T::size> lanes{};
            z.store_unaligned(lanes.data());
            for (auto& lane : lanes)
                lane = static_cast<typename T::value_type>(F::value(lane));
            return T::load_unaligned(lanes.data());
        }
    }

    template <class Block, int I, class T, std::size_t N>
    static T compute(std::array<T, N> const& reg) {
        constexpr instruction next = Block::program.code[I];
        constexpr auto a = static_cast<std::size_t>(next.a < 0 ? 0 : next.a);
        constexpr auto b = static_cast<std::size_t>(next.b < 0 ? 0 : next.b);
        if constexpr (next.kind == op::add)
            return reg[a] + reg[b];
        else if constexpr (next.kind == op::subtract)
            return reg[a] - reg[b];
        else if constexpr (next.kind == op::multiply)
            return reg[a] * reg[b];
        else if constexpr (next.kind == op::negate)
            return -reg[a];
        else if constexpr (next.kind == op::apply)
            return activate<typename Block::activations::template at<next.activation>>(reg[a]);
        else {
            static_assert(next.kind == op::number);
            return number<T>(next.value);
        }
    }
    template <class T>
    static T number(double value) {
        if constexpr (std::floating_point<T>)
            return static_cast<T>(value);
        else
            return T(static_cast<typename T::value_type>(value));
    }

    /// All instructions once, on one batch of elements.
    template <class Block, class T, class Load, class Broadcast, class Store>
    static void evaluate(Load load, Broadcast broadcast, Store store) {
        constexpr auto loads = static_cast<std::size_t>(Block::program.loads.size());
        std::array<T, static_cast<std::size_t>(Block::program.registers()) + 1> reg;
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((reg[I] =
                  [&] {
                      if constexpr (Block::is_scalar(static_cast<int>(I)))
                          return broadcast(std::integral_constant<std::size_t, I>{});
                      else
                          return load(std::integral_constant<std::size_t, I>{});
                  }()),
             ...);
        }
        (std::make_index_sequence<loads>{});
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((reg[loads + I] = compute<Block, static_cast<int>(I)>(reg)), ...);
        }
        (std::make_index_sequence<static_cast<std::size_t>(Block::program.code.size())>{});
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (store(std::integral_constant<std::size_t, I>{},
                   reg[static_cast<std::size_t>(Block::program.stores[static_cast<int>(I)].from)]),
             ...);
        }
        (std::make_index_sequence<static_cast<std::size_t>(Block::program.stores.size())>{});
    }
};

} // namespace sluice::xtensor
