// SPDX-License-Identifier: BSL-1.0
// Element types: their names and widths, the types of a program that they are, and the bytes of tensors of
// them.
#include "support.hpp"

#include <sluice/checkpoint/dtype.hpp>
#include <support/both.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace dtype_test {

/// A user's scalar of 16 bits, and one with an entry of another width.
struct own_half {
    std::uint16_t bits;
};
struct too_wide {
    float a, b;
};

} // namespace dtype_test

template <>
inline constexpr std::optional<sluice::dtype> sluice::dtype_entry<dtype_test::own_half> = sluice::dtype::f16;
template <>
inline constexpr std::optional<sluice::dtype> sluice::dtype_entry<dtype_test::too_wide> = sluice::dtype::f32;

namespace dtype_test {

using namespace checkpoint_test;
using namespace sluice;
namespace errors = sluice::checkpoint_errors;

TEST_CASE("dtype: names are found again, and only as they are written") {
    std::size_t bits = 0;
    for (std::size_t i = 0; i < dtype_table.size(); ++i) {
        auto const type = static_cast<dtype>(i);
        CAPTURE(name_of(type));
        CHECK(dtype_named(name_of(type)) == type);
        if (i > 0 && type != dtype::f4 && type != dtype::u8) // the narrow floats follow the booleans
            CHECK(bits_of(type) >= bits);
        bits = bits_of(type);
    }
    CHECK(name_of(dtype::f8_e4m3fnuz) == "F8_E4M3FNUZ");
    BOTH(bits_of(dtype::f4) == 4);
    BOTH(bits_of(dtype::f6_e3m2) == 6);
    BOTH(bits_of(dtype::bf16) == 16);
    BOTH(bits_of(dtype::c64) == 64);
    for (char const* const other : {"", "f32", "F32 ", "F", "F321", "FLOAT32"})
        CHECK_FALSE(dtype_named(other).has_value());
}

TEST_CASE("dtype: a program stores what has an entry of its own width") {
    BOTH(dtype_of<float>() == dtype::f32);
    BOTH(dtype_of<double>() == dtype::f64);
    BOTH(dtype_of<half>() == dtype::f16);
    BOTH(dtype_of<bfloat16>() == dtype::bf16);
    BOTH(dtype_of<std::int64_t>() == dtype::i64);
    BOTH(dtype_of<std::uint64_t>() == dtype::u64);
    BOTH(dtype_of<own_half>() == dtype::f16);
    BOTH(!tensor_element<too_wide>);
    BOTH(!tensor_element<int>);
    BOTH(!tensor_element<bool>);
    BOTH(!tensor_element<long double>);
}

TEST_CASE("dtype: the bytes of a tensor, up to the last number that there is") {
    using shape = std::vector<std::size_t>;
    constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
    CHECK(byte_count(dtype::f32, shape{}, "t") == 4);
    CHECK(byte_count(dtype::f64, shape{3, 5, 7}, "t") == 840);
    CHECK(byte_count(dtype::f4, shape{2}, "t") == 1);
    CHECK(byte_count(dtype::f6_e2m3, shape{4}, "t") == 3);
    CHECK(byte_count(dtype::u8, shape{0, largest}, "t") == 0);
    CHECK(byte_count(dtype::u8, shape{(std::size_t(1) << 61) - 1}, "t") == (std::size_t(1) << 61) - 1);
    CHECK(byte_count(dtype::u8, shape(64, 1), "t") == 1);
    CHECK(sentence_of<errors::size_overflow>([] {
              byte_count(dtype::u8, shape{std::size_t(1) << 61}, "t");
          }) == "t has shape [2305843009213693952] of U8: its size overflows 64 bits.");
    CHECK_THROWS_AS(byte_count(dtype::u8, shape{largest, 2, 0}, "t"), errors::size_overflow);
    CHECK_THROWS_AS(byte_count(dtype::f32, shape{std::size_t(1) << 32, std::size_t(1) << 31}, "t"),
                    errors::size_overflow);
    CHECK(sentence_of<errors::fraction_of_byte>([] { byte_count(dtype::f4, shape{3}, "t"); }) ==
          "t has shape [3] of F4, which is 12 bits; a whole number of bytes was expected.");
    CHECK(sentence_of<errors::too_many_axes>([] { byte_count(dtype::u8, shape(65, 1), "t"); }) ==
          "t has 65 axes; at most 64 are accepted.");
}

} // namespace dtype_test
