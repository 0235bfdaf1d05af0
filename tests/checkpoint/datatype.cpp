// SPDX-License-Identifier: BSL-1.0
// Types of numbers in HDF5, as the bytes of their messages: those that the library writes for h5py, and what
// is no number.
#include "crafted.hpp"
#include "support.hpp"

#include <sluice/checkpoint/formats/hdf5/datatype.hpp>

#include <optional>
#include <string>

namespace datatype_test {

using namespace checkpoint_test;
using namespace sluice;
using namespace sluice::hdf5::detail;
using crafted::number;

struct found {
    std::optional<number_type> type;
    bool is_opaque_pair;
};
/// Reads it at an odd place, between other bytes.
found read(std::string const& message) {
    auto const bytes = bytes_of("before" + message + std::string(40, '\xEE'));
    sluice::detail::byte_reader const file(bytes, "'m'");
    type_reader const reader(file, 6);
    return {reader.read(), reader.is_opaque_pair()};
}
std::string text_of(std::vector<std::byte> const& bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}
/// H5T_IEEE_F32LE and H5T_STD_I16LE, from dumps of files.
std::string const f32("\x11\x20\x1F\0\4\0\0\0\0\0\x20\0\x17\x08\0\x17\x7F\0\0\0", 20),
    i16("\x10\x08\0\0\2\0\0\0\0\0\x10\0", 12);

TEST_CASE("datatype: messages are those of the library, to the byte") {
    CHECK(text_of(*datatype_message(dtype::f32)) == f32);
    CHECK(text_of(*datatype_message(dtype::i16)) == i16);
    CHECK(text_of(*datatype_message(dtype::f64)) ==
          std::string("\x11\x20\x3F\0\x08\0\0\0\0\0\x40\0\x34\x0B\0\x34\xFF\3\0\0", 20));
    CHECK(text_of(*datatype_message(dtype::u8)) == std::string("\x10\0\0\0\1\0\0\0\0\0\x08\0", 12));
}

TEST_CASE("datatype: each type of numbers is read as itself, in both orders of bytes") {
    std::size_t types = 0;
    for (dtype_row const& row : dtype_table) {
        dtype const type = *dtype_named(row.name);
        auto const message = datatype_message(type);
        if (!message)
            continue;
        ++types;
        CAPTURE(name_of(type));
        std::string text = text_of(*message);
        auto const little = read(text).type;
        REQUIRE(little);
        CHECK(little->type == type);
        CHECK_FALSE(little->is_big_endian);
        text[1] |= 1;
        auto const big = read(text).type;
        REQUIRE(big);
        CHECK(big->type == type);
        CHECK(big->is_big_endian);
    }
    CHECK(types == 11);
    for (dtype const none : {dtype::boolean, dtype::bf16, dtype::f8_e4m3, dtype::c64})
        CHECK_FALSE(datatype_message(none));
}

TEST_CASE("datatype: a number with another place of its bits, or of another width, is none") {
    for (auto const& [text, fields] : {std::pair(f32, std::string("\1\2\4\x08\x0A\x0C\x0D\x0E\x0F\x10\x11")),
                                       std::pair(i16, std::string("\4\x08\x0A"))})
        for (char const at : fields)
            for (int const bit : {0x02, 0x10, 0x40}) {
                std::string changed = text;
                auto& byte = changed[static_cast<std::size_t>(at)];
                byte = static_cast<char>(byte ^ bit);
                CAPTURE(int(at));
                CAPTURE(bit);
                bool const is_padding = at == 1 && bit == 0x02; // what fills the bits that are left
                CHECK(read(changed).type.has_value() == is_padding);
            }
    std::string x86 = f32;
    x86[1] |= 0x40; // the order of VAX
    CHECK_FALSE(read(x86).type);
}

TEST_CASE("datatype: booleans are h5py's enumeration, of either version, and no other one") {
    std::string const integer("\x10\x08\0\0\1\0\0\0\0\0\x08\0", 12);
    auto const enumeration = [&](int version, std::string const& names, std::string const& values,
                                 std::uint64_t members = 2) {
        return number(static_cast<std::uint64_t>(version << 4 | 8), 1) + number(members, 3) + number(1, 4) +
               integer + names + values;
    };
    std::string const padded("FALSE\0\0\0TRUE\0\0\0\0", 16), packed("FALSE\0TRUE\0", 11), values("\0\1", 2);
    auto const is_boolean = [](std::string const& text) {
        auto const type = read(text).type;
        return type && type->type == dtype::boolean && !type->is_big_endian;
    };
    CHECK(is_boolean(enumeration(1, padded, values)));
    CHECK(is_boolean(enumeration(2, padded, values)));
    CHECK(is_boolean(enumeration(3, packed, values)));
    CHECK_FALSE(is_boolean(enumeration(3, padded, values)));
    CHECK_FALSE(is_boolean(enumeration(1, padded, std::string("\1\0", 2))));
    CHECK_FALSE(is_boolean(enumeration(1, padded, values, 3)));
    CHECK_FALSE(is_boolean(enumeration(3, std::string("FALSE\0TRUES\0", 12), values)));
}

TEST_CASE("datatype: an opaque pair of bytes is no number, but may be told by its attribute") {
    auto const opaque = [](std::uint64_t bytes) { return number(0x15, 1) + number(0, 3) + number(bytes, 4); };
    CHECK(read(opaque(2)).is_opaque_pair);
    CHECK_FALSE(read(opaque(2)).type);
    CHECK_FALSE(read(opaque(4)).is_opaque_pair);
    CHECK_FALSE(read(i16).is_opaque_pair);
    CHECK_FALSE(read(number(0x13, 1) + number(0, 3) + number(2, 4)).type); // a string
}

} // namespace datatype_test
