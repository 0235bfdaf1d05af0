// SPDX-License-Identifier: BSL-1.0
// Scalars in the source of kernels (source/kernel_source.hpp): the types `number`, of arithmetic, and
// `stored`, and the functions from one to the other. The host compiles the text as well, where there is no
// CUDA, and gets the same numbers.
#pragma once

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
template <>
struct source_scalar<half> {
    static constexpr bool is_known = true;
    static constexpr char const* text = R"(typedef float number;
typedef unsigned short stored; // IEEE binary16
#ifdef __CUDA_ARCH__
__device__ inline number widened(stored z) {
    number y;
    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(z));
    return y;
}
__device__ inline stored rounded(number z) {
    stored y;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(z));
    return y;
}
#else
union bits_of { number value; unsigned int bits; };
inline number widened(stored z) {
    unsigned int const size = z & 0x7fffu, sign = (z & 0x8000u) << 16;
    bits_of y;
    if (size >= 0x7c00u)
        y.bits = 0x7f800000u | (size & 0x3ffu) << 13;
    else if (size >= 0x400u)
        y.bits = (size << 13) + 0x38000000u;
    else
        y.value = (number)size * 0x1p-24f;
    y.bits |= sign;
    return y.value;
}
inline stored rounded(number z) {
    bits_of x;
    x.value = z;
    unsigned int const size = x.bits & 0x7fffffffu, sign = x.bits >> 16 & 0x8000u;
    if (size > 0x7f800000u)
        return (stored)(sign | 0x7e00u);
    if (size >= 0x477ff000u)
        return (stored)(sign | 0x7c00u);
    if (size >= 0x38800000u)
        return (stored)(sign | (size + 0xfffu + (size >> 13 & 1u) - 0x38000000u) >> 13);
    x.bits = size;
    x.value = x.value * 0x1p24f + 8388608.0f; // whole numbers of 2^-24: rounded by the addition
    return (stored)(sign | (x.bits & 0x7fffffu));
}
#endif
)";
};
template <>
struct source_scalar<bfloat16> {
    static constexpr bool is_known = true;
    static constexpr char const* text = R"(typedef float number;
typedef unsigned short stored; // the upper half of a float
union bits_of { number value; unsigned int bits; };
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
    unsigned int const nearest = x.bits + 0x7fffu + (x.bits >> 16 & 1u);
    return (stored)((z != z ? x.bits | 0x400000u : nearest) >> 16);
#endif
}
)";
};

} // namespace sluice
