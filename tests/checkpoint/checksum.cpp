// SPDX-License-Identifier: BSL-1.0
// The check sums of HDF5, against published values and sums over all words at once.
#include "support.hpp"

#include <sluice/checkpoint/formats/hdf5/checksum.hpp>

#include <set>
#include <string>

namespace checksum_test {

using namespace checkpoint_test;
using sluice::hdf5::detail::fletcher32, sluice::hdf5::detail::lookup3;

TEST_CASE("checksum: lookup3 gives the values that its author publishes") {
    CHECK(lookup3({}) == 0xDEADBEEF);
    CHECK(lookup3(bytes_of("Four score and seven years ago")) == 0x17770551);
}

TEST_CASE("checksum: lookup3 differs for every length of zeros, and where any bit does") {
    std::set<std::uint32_t> sums;
    for (std::size_t length = 0; length < 60; ++length)
        sums.insert(lookup3(std::vector<std::byte>(length)));
    CHECK(sums.size() == 60);
    std::size_t changes = 0;
    for (std::size_t const length : {1u, 11u, 12u, 13u, 24u, 25u}) {
        std::vector<std::byte> bytes(length, std::byte{0x5A});
        sums = {lookup3(bytes)};
        for (std::size_t bit = 0; bit < 8 * length; ++bit, ++changes) {
            bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
            sums.insert(lookup3(bytes));
            bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
        }
        CHECK(sums.size() == 1 + 8 * length);
    }
    CHECK(changes == 8 * 86);
}

/// Fletcher's sums of n words w: one adds each w[i], two adds (n - i) w[i]. Both are modulo 65535, but a sum
/// that is not zero is not 0 but 65535.
std::uint32_t sum_at_once(std::vector<std::byte> const& bytes) {
    std::size_t const words = (bytes.size() + 1) / 2;
    std::uint64_t one = 0, two = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        auto const part = std::to_integer<std::uint64_t>(bytes[i]) * (i % 2 == 0 ? 256 : 1);
        one += part;
        two += (words - i / 2) * part;
    }
    auto const folded = [](std::uint64_t sum) {
        return sum > 0 && sum % 65'535 == 0 ? 65'535 : sum % 65'535;
    };
    return static_cast<std::uint32_t>(folded(two) << 16 | folded(one));
}

TEST_CASE("checksum: fletcher32 is the sum over words of two bytes, the last of which may be half") {
    CHECK(fletcher32({}) == 0);
    CHECK(fletcher32(std::vector<std::byte>(7)) == 0);
    CHECK(fletcher32(bytes_of("\x01\x02")) == 0x0102'0102);
    CHECK(fletcher32(bytes_of("\x01\x02\x03")) == 0x0504'0402);
    CHECK(fletcher32(std::vector<std::byte>(2, std::byte{0xFF})) == 0xFFFF'FFFF);
    for (std::size_t length = 0; length < 2000; length = 2 * length + 1) {
        std::vector<std::byte> bytes(length);
        for (std::size_t i = 0; i < length; ++i)
            bytes[i] = static_cast<std::byte>(i * i * 37 + 11 * i);
        CHECK(fletcher32(bytes) == sum_at_once(bytes));
        std::fill(bytes.begin(), bytes.end(), std::byte{0xFF});
        CHECK(fletcher32(bytes) == sum_at_once(bytes));
    }
}

} // namespace checksum_test
