// SPDX-License-Identifier: BSL-1.0
// Numbers in device memory as doubles, and back: double, float, half and bfloat16, rounded to the nearest.
#pragma once

#include "host_device.hpp"
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <library_types.h>

namespace host_device {

inline std::size_t bytes_of(cudaDataType_t type) {
    switch (type) {
    case CUDA_R_64F:
        return 8;
    case CUDA_R_32F:
        return 4;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    default:
        stop({"type ", static_cast<int>(type), " is not part of this device"});
    }
}

inline float widened_bfloat16(std::uint16_t bits) {
    return std::bit_cast<float>(std::uint32_t(bits) << 16);
}
inline std::uint16_t rounded_bfloat16(float value) {
    auto const bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value))
        return static_cast<std::uint16_t>(bits >> 16 | 0x40);
    return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

inline float widened_half(std::uint16_t bits) {
    int const exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
    float const size = exponent == 0x1F ? (fraction == 0 ? INFINITY : NAN)
                       : exponent == 0  ? std::ldexp(static_cast<float>(fraction), -24)
                                        : std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
    return (bits & 0x8000) != 0 ? -size : size;
}
inline std::uint16_t rounded_half(float value) {
    auto const sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    auto const with_sign = [sign](int bits) { return static_cast<std::uint16_t>(sign | bits); };
    if (std::isnan(value))
        return with_sign(0x7E00);
    float const size = std::fabs(value);
    if (size >= 65520.0f)
        return with_sign(0x7C00);
    if (size < std::ldexp(1.0f, -14)) // subnormal; the greatest of them rounds up to the least normal number
        return with_sign(static_cast<int>(std::nearbyint(std::ldexp(size, 24))));
    int exponent = std::ilogb(size);
    int fraction = static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));
    if (fraction == 0x800) {
        fraction = 0x400;
        ++exponent;
    }
    return with_sign(((exponent + 15) << 10) + (fraction - 0x400));
}

/// A float with the ten bits of fraction that TF32 products read.
inline double tensor_float(double value) {
    auto const bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return std::isfinite(value) ? std::bit_cast<float>((bits + 0x1000) & ~std::uint32_t(0x1FFF)) : value;
}

inline double load(void const* p, cudaDataType_t type, std::size_t i) {
    auto const read = [&]<class T>(T number) {
        std::memcpy(&number, static_cast<unsigned char const*>(p) + i * sizeof(T), sizeof(T));
        return number;
    };
    switch (type) {
    case CUDA_R_64F:
        return read(double());
    case CUDA_R_32F:
        return static_cast<double>(read(float()));
    case CUDA_R_16F:
        return static_cast<double>(widened_half(read(std::uint16_t())));
    default:
        return static_cast<double>(widened_bfloat16(read(std::uint16_t())));
    }
}
inline void store(void* p, cudaDataType_t type, std::size_t i, double value) {
    auto const write = [&](auto number) {
        std::memcpy(static_cast<unsigned char*>(p) + i * sizeof number, &number, sizeof number);
    };
    switch (type) {
    case CUDA_R_64F:
        return write(value);
    case CUDA_R_32F:
        return write(static_cast<float>(value));
    case CUDA_R_16F:
        return write(rounded_half(static_cast<float>(value)));
    default:
        return write(rounded_bfloat16(static_cast<float>(value)));
    }
}

} // namespace host_device
