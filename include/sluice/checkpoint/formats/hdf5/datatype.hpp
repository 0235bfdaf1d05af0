// SPDX-License-Identifier: BSL-1.0
// Types of numbers in an HDF5 file.
//
// Source: HDF5 File Format Specification, version 3.0, section IV.A.2.d.
#pragma once

#include <sluice/checkpoint/dtype.hpp>
#include <sluice/checkpoint/formats/hdf5/object.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::hdf5::detail {

enum class type_class : std::uint64_t { integer = 0, floating = 1, opaque = 5, enumeration = 8 };

/// An integer, by its bytes and its sign.
struct integer_row {
    dtype type;
    std::uint64_t bytes;
    bool is_signed;
};
inline constexpr std::array integers{integer_row{dtype::i8, 1, true},  integer_row{dtype::u8, 1, false},
                                     integer_row{dtype::i16, 2, true}, integer_row{dtype::u16, 2, false},
                                     integer_row{dtype::i32, 4, true}, integer_row{dtype::u32, 4, false},
                                     integer_row{dtype::i64, 8, true}, integer_row{dtype::u64, 8, false}};

/// A float of IEEE 754, by its bytes and the bits of its exponent. The mantissa lies below it and the sign
/// above.
struct float_row {
    dtype type;
    std::uint64_t bytes, exponent;

    constexpr std::uint64_t mantissa() const { return 8 * bytes - 1 - exponent; }
    constexpr std::uint64_t bias() const { return (std::uint64_t(1) << (exponent - 1)) - 1; }
};
inline constexpr std::array floats{float_row{dtype::f16, 2, 5}, float_row{dtype::f32, 4, 8},
                                   float_row{dtype::f64, 8, 11}};

struct number_type {
    dtype type;
    bool is_big_endian = false;
};

/// The type of a message, or nothing for what is no number.
class type_reader {
public:
    type_reader(byte_reader const& file, std::uint64_t at)
        : file_(file), at_(at), kind_(file.number(at, 1) & 15), flags_(file.number(at + 1, 3)),
          size_(file.number(at + 4, 4)) {}

    std::optional<number_type> read() const {
        switch (static_cast<type_class>(kind_)) {
        case type_class::integer:
            return read_integer();
        case type_class::floating:
            return read_float();
        case type_class::enumeration:
            return is_boolean() ? std::optional(number_type{dtype::boolean}) : std::nullopt;
        default:
            return std::nullopt;
        }
    }
    /// Whether it is two bytes of which HDF5 knows nothing, as Keras stores bfloat16.
    bool is_opaque_pair() const { return static_cast<type_class>(kind_) == type_class::opaque && size_ == 2; }

private:
    byte_reader const& file_;
    std::uint64_t at_, kind_, flags_, size_;

    bool is_whole() const { return file_.number(at_ + 8, 2) == 0 && file_.number(at_ + 10, 2) == 8 * size_; }
    std::optional<number_type> read_integer() const {
        for (integer_row const& row : integers)
            if (row.bytes == size_ && row.is_signed == ((flags_ & 8) != 0) && is_whole())
                return number_type{row.type, (flags_ & 1) != 0};
        return std::nullopt;
    }
    std::optional<number_type> read_float() const {
        constexpr std::uint64_t implied_bit = 2;
        for (float_row const& row : floats)
            if (row.bytes == size_ && is_whole() && (flags_ >> 4 & 3) == implied_bit &&
                (flags_ & 0x40) == 0 && (flags_ >> 8 & 0xFF) == 8 * size_ - 1 &&
                file_.number(at_ + 12, 1) == row.mantissa() && file_.number(at_ + 13, 1) == row.exponent &&
                file_.number(at_ + 14, 1) == 0 && file_.number(at_ + 15, 1) == row.mantissa() &&
                file_.number(at_ + 16, 4) == row.bias())
                return number_type{row.type, (flags_ & 1) != 0};
        return std::nullopt;
    }
    /// h5py's booleans: an enumeration of one byte, FALSE 0 and TRUE 1.
    bool is_boolean() const {
        if (size_ != 1 || (flags_ & 0xFFFF) != 2)
            return false;
        constexpr std::uint64_t size_of_integer = 12;
        std::uint64_t const first = at_ + 8 + size_of_integer;
        bool const is_padded = file_.number(at_, 1) >> 4 < 3; // names have a multiple of 8 bytes
        std::string const names =
            is_padded ? std::string("FALSE\0\0\0TRUE\0\0\0\0", 16) : std::string("FALSE\0TRUE\0", 11);
        return file_.text(first, names.size() + 2) == names + std::string("\0\1", 2);
    }
};

/// The message of a type: of integers and floats of 2, 4 and 8 bytes. Nothing for others.
inline std::optional<std::vector<std::byte>> datatype_message(dtype type) {
    std::vector<std::byte> made;
    auto const put = [&](std::uint64_t number, int width) {
        for (int i = 0; i < width; ++i)
            made.push_back(static_cast<std::byte>(number >> (8 * i) & 0xFF));
    };
    constexpr std::uint64_t version = 1 << 4;
    for (integer_row const& row : integers)
        if (row.type == type) {
            put(version | static_cast<std::uint64_t>(type_class::integer), 1);
            put(row.is_signed ? 8 : 0, 3);
            put(row.bytes, 4);
            put(0, 2);
            put(8 * row.bytes, 2);
            return made;
        }
    for (float_row const& row : floats)
        if (row.type == type) {
            put(version | static_cast<std::uint64_t>(type_class::floating), 1);
            put(2 << 4 | (8 * row.bytes - 1) << 8, 3);
            put(row.bytes, 4);
            put(0, 2);
            put(8 * row.bytes, 2);
            put(row.mantissa(), 1);
            put(row.exponent, 1);
            put(0, 1);
            put(row.mantissa(), 1);
            put(row.bias(), 4);
            return made;
        }
    return std::nullopt;
}

} // namespace sluice::hdf5::detail
