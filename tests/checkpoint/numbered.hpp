// SPDX-License-Identifier: BSL-1.0
// Arrays of known numbers, as the scripts of tests/reference write them.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <doctest/doctest.h>
#include <sluice/checkpoint/archive.hpp>
#include <type_traits>

namespace numbered {

using namespace sluice;

/// Element i of what the script has written.
inline double expected(std::size_t i, dtype type) {
    auto const number = static_cast<double>(i);
    bool const is_unsigned =
        type == dtype::u8 || type == dtype::u16 || type == dtype::u32 || type == dtype::u64;
    return type == dtype::boolean ? static_cast<double>(i % 2) : is_unsigned ? 3 * number : 3 * number - 7;
}
inline double element(stored_tensor const& from, std::size_t i) {
    auto const as = [&]<class E>(E kept) {
        std::memcpy(&kept, from.bytes.data() + i * sizeof(E), sizeof(E));
        if constexpr (requires { kept.real(); })
            return static_cast<double>(kept.real());
        else if constexpr (std::is_same_v<E, half> || std::is_same_v<E, bfloat16>)
            return static_cast<double>(widened(kept));
        else
            return static_cast<double>(kept);
    };
    switch (from.type) {
    case dtype::boolean:
    case dtype::u8:
        return as(std::uint8_t());
    case dtype::i8:
        return as(std::int8_t());
    case dtype::i16:
        return as(std::int16_t());
    case dtype::u16:
        return as(std::uint16_t());
    case dtype::i32:
        return as(std::int32_t());
    case dtype::u32:
        return as(std::uint32_t());
    case dtype::i64:
        return as(std::int64_t());
    case dtype::u64:
        return as(std::uint64_t());
    case dtype::f16:
        return as(half());
    case dtype::bf16:
        return as(bfloat16());
    case dtype::f32:
        return as(float());
    case dtype::c64:
        return as(std::complex<float>());
    default:
        return as(double());
    }
}
inline void check_numbers(stored_tensor const& from) {
    CAPTURE(from.name);
    std::size_t const count = from.bytes.size() * 8 / bits_of(from.type);
    for (std::size_t i = 0; i < count; ++i)
        CHECK(element(from, i) == expected(i, from.type));
}

} // namespace numbered
