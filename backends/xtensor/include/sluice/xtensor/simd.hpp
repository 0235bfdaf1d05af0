// SPDX-License-Identifier: BSL-1.0
// Batches: as many numbers as the machine computes at once.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <xsimd/xsimd.hpp>

namespace sluice::xtensor {

/// The widest batch of the machine, or the scalar itself where there is none.
template <class S>
struct simd {
    using type = S;
    static constexpr std::size_t lanes = 1;
    static constexpr std::size_t registers = 16;
    static S load(S const* p) { return *p; }
    static void store(S v, S* p) { *p = v; }
    static S multiply_add(S a, S b, S c) { return a * b + c; }
};
template <class S>
    requires std::same_as<S, float> || std::same_as<S, double>
struct simd<S> {
    using type = xsimd::batch<S>;
    static constexpr std::size_t lanes = type::size;
    /// How many of them the machine can hold, as far as that is known.
    static constexpr std::size_t registers = sizeof(type) == 64 ? 32 : 16;
    static type load(S const* p) { return type::load_unaligned(p); }
    static void store(type v, S* p) { v.store_unaligned(p); }
    /// a * b + c, rounded once where the machine can.
    static type multiply_add(type const& a, type const& b, type const& c) { return xsimd::fma(a, b, c); }
};

/// f(z...) on batches of S; one that was written for scalars only is called lane by lane.
template <class S, class F, class... T>
typename simd<S>::type lane_by_lane(F f, T const&... z) {
    using batch = typename simd<S>::type;
    if constexpr (requires {
                      { f(z...) } -> std::convertible_to<batch>;
                  })
        return f(z...);
    else {
        constexpr std::size_t count = sizeof...(T), lanes = simd<S>::lanes;
        std::array<std::array<S, lanes>, count> operands;
        std::size_t k = 0;
        (simd<S>::store(z, operands[k++].data()), ...);
        std::array<S, lanes> result;
        for (std::size_t lane = 0; lane < lanes; ++lane)
            result[lane] = [&]<std::size_t... I>(std::index_sequence<I...>) {
                return static_cast<S>(f(operands[I][lane]...));
            }
        (std::make_index_sequence<count>{});
        return simd<S>::load(result.data());
    }
}

} // namespace sluice::xtensor
