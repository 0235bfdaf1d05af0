// SPDX-License-Identifier: BSL-1.0
// Rows of floats in digits: what they mean is the row, to half of their unit, wherever it begins in a word.
#include <sluice/xtensor/narrow/digits.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <vector>

namespace digits_test {

using sluice::xtensor::digit_format;
using sluice::xtensor::digits_of_row;
using size = std::size_t;

namespace {

using of_vnni = digit_format<3, 256, 22>;
using of_avx2 = digit_format<2, 128, 12>;

/// A row that was written, beside words that have to stay as they are.
template <class Format>
struct written {
    using type = digits_of_row<Format>;
    std::vector<std::uint32_t> words;
    type row;

    written(std::vector<float> const& x, size before)
        : words(type::count * type::words_of(before, x.size()) + 1, 77u) {
        std::uint32_t largest = 0;
        REQUIRE(type::can_write(x.size(), x.data(), largest));
        row = type::write(before, x.size(), x.data(), largest, words.data());
        CHECK(words.back() == 77u);
    }
    int digit(size p, size place) const {
        std::uint32_t const word = row.words[p * row.next + place / 4];
        return static_cast<std::int8_t>(word >> (8 * (place % 4)) & 0xffu);
    }
    double value(size place) const {
        double all = 0, power = 1;
        for (size p = 0; p < type::count; ++p, power *= Format::base)
            all += power * digit(p, place);
        return all * static_cast<double>(row.unit);
    }
};

template <class Format>
bool is_written(std::vector<float> const& x, size before) {
    written<Format> const w(x, before);
    float largest = 0;
    for (float const one : x)
        largest = std::max(largest, std::abs(one));
    double const unit = static_cast<double>(w.row.unit);
    if (largest > 0 && !(unit * std::exp2(Format::bits - 1) <= double(largest) &&
                         double(largest) < unit * std::exp2(Format::bits)))
        return false;
    std::vector<int> sums(w.row.count);
    for (size place = 0; place < 4 * w.row.next; ++place) {
        bool const inside = place >= before && place < before + x.size();
        double const wanted = inside ? static_cast<double>(x[place - before]) : 0;
        if (!(std::abs(w.value(place) - wanted) <= unit / 2))
            return false;
        for (size p = 0; p < w.row.count; ++p) {
            int const digit = w.digit(p, place);
            if (digit < -Format::base / 2 || digit >= Format::base / 2)
                return false;
            sums[p] += digit;
        }
    }
    for (size p = 0; p < w.row.count; ++p)
        if (sums[p] != w.row.sums[p])
            return false;
    return true;
}

} // namespace

TEST_CASE_TEMPLATE("digits: they mean the row, to half of a unit, wherever it begins in a word", Format,
                   of_vnni, of_avx2) {
    std::mt19937 from(5);
    for (size const k : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 31u, 63u, 64u, 65u, 129u, 300u})
        for (size before = 0; before < 4; ++before)
            for (double const scale : {1., 1e-6, 1e-18, 3e30}) {
                std::vector<float> x(k);
                for (float& one : x)
                    one = static_cast<float>(std::uniform_real_distribution<double>(-scale, scale)(from));
                CAPTURE(k);
                CAPTURE(before);
                CAPTURE(scale);
                CHECK(is_written<Format>(x, before));
            }
    CHECK(is_written<Format>({0, 0, 0}, 1));
    CHECK(is_written<Format>({1, -1, 0.5f, -0.25f, 0x1p-9f}, 2));
    CHECK(is_written<Format>({std::numeric_limits<float>::max(), -1}, 3));
    CHECK(is_written<Format>({-0x1.fffffep0f, 0x1.fffffep0f}, 0)); // rounded up to a power of two
    CHECK(is_written<Format>({0x1p-63f, std::numeric_limits<float>::denorm_min(), -0.f}, 0));
}

TEST_CASE("digits: of three, numbers of few binary digits are exact") {
    written<of_vnni> const w({1, -0.5f, 0.375f, -0x1.8p-12f}, 0);
    CHECK(w.value(0) == 1);
    CHECK(w.value(1) == -0.5);
    CHECK(w.value(2) == 0.375);
    CHECK(w.value(3) == -0x1.8p-12);
}

TEST_CASE("digits: rows with what is no number have none, nor rows of the smallest numbers") {
    std::uint32_t largest = 0;
    auto const can_write = [&](std::vector<float> const& x) {
        return digits_of_row<of_vnni>::can_write(x.size(), x.data(), largest);
    };
    float const nan = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();
    CHECK_FALSE(can_write({1, nan, 2}));
    CHECK_FALSE(can_write({1, -nan}));
    CHECK_FALSE(can_write({infinity}));
    CHECK_FALSE(can_write({-infinity, 1}));
    CHECK_FALSE(can_write({0x1.fffffep-64f, 0}));
    CHECK(can_write({0x1p-63f}));
    CHECK(can_write({}));
    CHECK(can_write({0, -0.f}));
    CHECK(largest == 0);
}

} // namespace digits_test
