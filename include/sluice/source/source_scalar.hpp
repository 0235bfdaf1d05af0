// SPDX-License-Identifier: BSL-1.0
// Scalars in the source of kernels (source/kernel_source.hpp): the types `number`, of arithmetic, and
// `stored`, and the functions from one to the other. The host compiles the text as well, where there is no
// CUDA, and gets the same numbers.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/core/half.hpp>

namespace sluice {

/// How numbers that are kept as an S are read and written in the source of kernels.
template <class S>
struct source_scalar {
    static constexpr bool is_known = false;
    static constexpr char const* text = "";
};
template <>
struct source_scalar<float> {
    static constexpr bool is_known = true;
    static constexpr char const* text = R"(typedef float number;
typedef float stored;
__device__ inline number widened(stored z) { return z; }
__device__ inline stored rounded(number z) { return z; }
)";
};
template <>
struct source_scalar<double> {
    static constexpr bool is_known = true;
    static constexpr char const* text = R"(typedef double number;
typedef double stored;
__device__ inline number widened(stored z) { return z; }
__device__ inline stored rounded(number z) { return z; }
)";
};

namespace detail {

/// Texts one after the other, without the zeros at their ends.
template <std::size_t... N>
constexpr auto joined(char const (&... texts)[N]) {
    std::array<char, (N + ...) - sizeof...(N) + 1> all{};
    std::size_t at = 0;
    ((std::copy_n(texts, N - 1, all.data() + at), at += N - 1), ...);
    return all;
}

inline constexpr char bits_text[] = R"(typedef float number;
typedef unsigned short stored; // IEEE binary16, or the upper half of a float
union bits_of { number value; unsigned int bits; };
)";
inline constexpr auto half_text = joined(bits_text, half_of_text, float_of_half_text, R"(
__device__ inline number widened(stored z) {
    bits_of y;
#ifdef __CUDA_ARCH__
    asm("cvt.f32.f16 %0, %1;" : "=f"(y.value) : "h"(z));
#else
    y.bits = float_of_half(z);
#endif
    return y.value;
}
__device__ inline stored rounded(number z) {
#ifdef __CUDA_ARCH__
    stored y;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(z));
    return y;
#else
    bits_of x;
    x.value = z;
    return (stored)half_of(x.bits);
#endif
}
)");
inline constexpr auto bfloat16_text = joined(bits_text, bfloat16_of_text, R"(
__device__ inline number widened(stored z) {
    bits_of y;
    y.bits = (unsigned int)z << 16;
    return y.value;
}
__device__ inline stored rounded(number z) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    stored y;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(z));
    return y;
#else
    bits_of x;
    x.value = z;
    return (stored)bfloat16_of(x.bits);
#endif
}
)");

} // namespace detail

template <>
struct source_scalar<half> {
    static constexpr bool is_known = true;
    static constexpr char const* text = detail::half_text.data();
};
template <>
struct source_scalar<bfloat16> {
    static constexpr bool is_known = true;
    static constexpr char const* text = detail::bfloat16_text.data();
};

} // namespace sluice
