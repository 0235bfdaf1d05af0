// SPDX-License-Identifier: BSL-1.0
// Numbers and texts at places that a file names itself, up to its last byte and no further.
#include "support.hpp"

#include <sluice/checkpoint/byte_reader.hpp>

#include <limits>

namespace byte_reader_test {

using namespace checkpoint_test;
using sluice::detail::byte_reader;
namespace errors = sluice::checkpoint_errors;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

TEST_CASE("byte reader: numbers of every width have their lowest byte first") {
    auto const bytes = bytes_of("\x01\x02\x83\x04\x05\x06\x07\x88\xFF");
    byte_reader const file(bytes, "'m'");
    CHECK(file.size() == 9);
    CHECK(file.file() == "'m'");
    CHECK(file.number(0, 0) == 0);
    CHECK(file.number(0, 1) == 1);
    CHECK(file.number(0, 2) == 0x0201);
    CHECK(file.number(0, 3) == 0x830201);
    CHECK(file.number(0, 4) == 0x04830201);
    CHECK(file.number(1, 4) == 0x05048302);
    CHECK(file.number(0, 8) == 0x8807060504830201);
    CHECK(file.number(1, 8) == 0xFF88070605048302);
    CHECK(file.number(8, 1) == 0xFF);
    CHECK(file.text(1, 3) == "\x02\x83\x04");
    CHECK(file.bytes(9, 0).empty());
    CHECK(file.bytes(0, 9).size() == 9);
    CHECK(file.bytes(7, 2).data() == bytes.data() + 7);
}

TEST_CASE("byte reader: nothing behind the end, nor where the sum of place and length begins again at zero") {
    auto const bytes = bytes_of("123456789");
    byte_reader const file(bytes, "'m'");
    CHECK(sentence_of<errors::data_truncated>([&] { file.number(6, 4); }) ==
          "'m' ends within what it says is there: 4 bytes at 6 of 9.");
    CHECK_THROWS_AS(file.number(2, 8), errors::data_truncated);
    CHECK_THROWS_AS(file.number(9, 1), errors::data_truncated);
    CHECK_THROWS_AS(file.bytes(10, 0), errors::data_truncated);
    CHECK_THROWS_AS(file.text(0, 10), errors::data_truncated);
    for (std::uint64_t const far :
         {std::uint64_t(1) << 31, std::uint64_t(1) << 32, std::uint64_t(1) << 63, largest - 3, largest}) {
        CHECK_THROWS_AS(file.number(far, 4), errors::data_truncated);
        CHECK_THROWS_AS(file.bytes(4, far), errors::data_truncated);
        CHECK_THROWS_AS(file.bytes(far, largest - far + 5), errors::data_truncated);
    }
    byte_reader const nothing({}, "'m'");
    CHECK(nothing.bytes(0, 0).empty());
    CHECK_THROWS_AS(nothing.number(0, 1), errors::data_truncated);
}

} // namespace byte_reader_test
