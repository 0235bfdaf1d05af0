// SPDX-License-Identifier: BSL-1.0
// The element types of safetensors, in the format's own order: never falling in width, so that writing
// them from the last to the first keeps every tensor aligned. A program stores and asks for those that
// `dtype_entry` knows; the others are carried as bytes. Who brings a scalar adds its own:
//
//   template <>
//   inline constexpr std::optional<sluice::dtype> sluice::dtype_entry<my_half> = sluice::dtype::f16;
#pragma once

#include <sluice/checkpoint/error.hpp>
#include <sluice/core/half.hpp>
#include <sluice/core/int8.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace sluice {

enum class dtype : std::uint8_t {
    boolean,
    f4,
    f6_e2m3,
    f6_e3m2,
    u8,
    i8,
    f8_e5m2,
    f8_e4m3,
    f8_e8m0,
    f8_e4m3fnuz,
    f8_e5m2fnuz,
    i16,
    u16,
    f16,
    bf16,
    i32,
    u32,
    f32,
    c64,
    f64,
    i64,
    u64
};

struct dtype_row {
    std::string_view name;
    std::size_t bits;
};

/// One row per enumerator, in the same order.
// clang-format off
/// Every type of numbers that files hold.
inline constexpr std::array<dtype_row, 22> dtype_table{{
    {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
    {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8},
    {"I16", 16},    {"U16", 16},    {"F16", 16},    {"BF16", 16},
    {"I32", 32},    {"U32", 32},    {"F32", 32},
    {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64},
}};
// clang-format on

inline std::string name_of(dtype type) {
    return std::string(dtype_table[static_cast<std::size_t>(type)].name);
}

constexpr std::size_t bits_of(dtype type) {
    return dtype_table[static_cast<std::size_t>(type)].bits;
}

constexpr std::optional<dtype> dtype_named(std::string_view name) {
    for (std::size_t row = 0; row < dtype_table.size(); ++row)
        if (dtype_table[row].name == name)
            return static_cast<dtype>(row);
    return std::nullopt;
}

static_assert(dtype_named("BOOL") == dtype::boolean && dtype_named("F8_E5M2FNUZ") == dtype::f8_e5m2fnuz &&
              dtype_named("F32") == dtype::f32 && dtype_named("U64") == dtype::u64);

/// The element type whose bytes are those of a Scalar, where there is one.
template <class Scalar>
inline constexpr std::optional<dtype> dtype_entry{};
template <>
inline constexpr std::optional<dtype> dtype_entry<float> = dtype::f32;
template <>
inline constexpr std::optional<dtype> dtype_entry<double> = dtype::f64;
template <>
inline constexpr std::optional<dtype> dtype_entry<half> = dtype::f16;
template <>
inline constexpr std::optional<dtype> dtype_entry<bfloat16> = dtype::bf16;
template <>
inline constexpr std::optional<dtype> dtype_entry<int8> = dtype::i8;
template <>
inline constexpr std::optional<dtype> dtype_entry<std::int64_t> = dtype::i64;
template <>
inline constexpr std::optional<dtype> dtype_entry<std::uint64_t> = dtype::u64;

namespace detail {
template <class Scalar>
constexpr bool has_dtype() {
    constexpr auto entry = dtype_entry<Scalar>;
    return entry && std::is_trivially_copyable_v<Scalar> && bits_of(*entry) == 8 * sizeof(Scalar);
}
} // namespace detail

/// What a program can store and ask for.
template <class Scalar>
concept tensor_element = detail::has_dtype<Scalar>();

template <tensor_element Scalar>
constexpr dtype dtype_of() {
    return *dtype_entry<Scalar>;
}

/// More axes than this are refused: no tensor has them, and a hostile header could name millions.
inline constexpr std::size_t most_axes = 64;

/// The bytes of a tensor of this type and shape; `whose` opens the sentence when there is no such number.
inline std::size_t byte_count(dtype type, std::span<std::size_t const> shape, std::string const& whose) {
    using namespace checkpoint_errors;
    if (shape.size() > most_axes)
        throw too_many_axes(whose + " has " + std::to_string(shape.size()) + " axes; at most " +
                            std::to_string(most_axes) + " are accepted.");
    constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
    auto const times = [&](std::size_t left, std::size_t right) {
        if (right != 0 && left > largest / right)
            throw size_overflow(whose + " has shape " + shape_text(shape) + " of " + name_of(type) +
                                ": its size overflows 64 bits.");
        return left * right;
    };
    std::size_t bits = 1;
    for (std::size_t extent : shape)
        bits = times(bits, extent);
    bits = times(bits, bits_of(type));
    if (bits % 8 != 0)
        throw fraction_of_byte(whose + " has shape " + shape_text(shape) + " of " + name_of(type) +
                               ", which is " + std::to_string(bits) +
                               " bits; a whole number of bytes was expected.");
    return bits / 8;
}

} // namespace sluice
