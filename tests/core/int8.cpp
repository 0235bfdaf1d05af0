// SPDX-License-Identifier: BSL-1.0
// Columns of 8 bits: what they keep, how far it is off, and what becomes of zeros, NaNs and the limits.
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <sluice/core/half.hpp>
#include <sluice/core/int8.hpp>
#include <support/both.hpp>
#include <vector>

namespace int8_test {

using namespace sluice;

namespace {

constexpr float largest = std::numeric_limits<float>::max(), smallest = std::numeric_limits<float>::min();
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

constexpr int whole(float weight, float scale) {
    return static_cast<int>(int8_of(weight, scale));
}
template <std::size_t K>
constexpr float scale_of(std::array<float, K> const& column) {
    return int8_scale(column.data(), K);
}

} // namespace

TEST_CASE("int8: a number is rounded to the nearest, of two to the even one") {
    BOTH(sizeof(int8) == 1);
    BOTH(!storage_scalar<int8>);
    BOTH(scale_of(std::array{-127.f, 3.f}) == 1);
    BOTH(whole(0.5f, 1) == 0);
    BOTH(whole(1.5f, 1) == 2);
    BOTH(whole(2.5f, 1) == 2);
    BOTH(whole(-0.5f, 1) == 0);
    BOTH(whole(-1.5f, 1) == -2);
    BOTH(whole(-2.5f, 1) == -2);
    BOTH(whole(2.500001f, 1) == 3);
    BOTH(whole(-126.5f, 1) == -126);
    BOTH(whole(127, 1) == 127);
    BOTH(int8_value(int8(-3), 0.25f) == -0.75f);
    for (int i = -127 * 256; i <= 127 * 256; ++i) {
        float const exact = static_cast<float>(i) / 256;
        CHECK(whole(exact, 1) == static_cast<int>(std::nearbyint(exact)));
    }
}

TEST_CASE("int8: a weight beyond the column of its scale is bounded") {
    BOTH(whole(1000, 1) == 127);
    BOTH(whole(-1000, 1) == -127);
    CHECK(whole(infinity, 1) == 127);
    CHECK(whole(-largest, smallest) == -127); // their quotient is infinite
    int const of_nan = whole(nan, 1);
    CHECK((of_nan >= -127 && of_nan <= 127));
}

TEST_CASE("int8: a column of zeros stays one") {
    BOTH(scale_of(std::array{0.f, -0.f, 0.f}) == 0);
    BOTH(int8_scale(static_cast<float const*>(nullptr), 0) == 0);
    BOTH(whole(0, 0) == 0);
    BOTH(int8_value(int8_of(-0.f, 0), 0) == 0);
}

TEST_CASE("int8: a column with a NaN or an infinity is NaN, wherever it stands") {
    for (float const bad : {nan, -nan, infinity, -infinity})
        for (std::size_t at = 0; at < 3; ++at) {
            std::array column{1.f, -2.f, 0.f};
            column[at] = bad;
            float const scale = scale_of(column);
            CHECK(std::isnan(scale));
            for (float const weight : column) {
                CHECK(whole(weight, scale) == 0);
                CHECK(std::isnan(int8_value(int8_of(weight, scale), scale)));
            }
        }
    double const wide[] = {1, 1e300};
    CHECK(std::isnan(int8_scale(wide, 2)));
    CHECK(int8_scale(wide, 1) == 1.f / 127);
}

TEST_CASE("int8: at the limits of a float every scale is 0 or normal, and so is every number kept") {
    BOTH(scale_of(std::array{-largest}) == largest_int8_scale);
    BOTH(whole(-largest, largest_int8_scale) == -127);
    BOTH(127. * double(largest_int8_scale) <= double(largest));
    BOTH(128. * double(largest_int8_scale) > double(largest));
    CHECK(std::isfinite(int8_value(int8(-127), largest_int8_scale)));

    constexpr float denormal = std::numeric_limits<float>::denorm_min();
    BOTH(scale_of(std::array{denormal}) == 0);
    BOTH(scale_of(std::array{smallest / 2, -smallest / 2}) == 0);
    BOTH(scale_of(std::array{smallest / 2 + denormal}) == smallest);
    BOTH(whole(smallest / 2 + denormal, smallest) == 1);
    BOTH(whole(smallest / 2, smallest) == 0);
    BOTH(scale_of(std::array{smallest * 50.25f}) == smallest);
    BOTH(whole(smallest * 50.25f, smallest) == 50);
    BOTH(scale_of(std::array{smallest * 127}) == smallest);
    BOTH(whole(smallest * 127, smallest) == 127);
    BOTH(scale_of(std::array{smallest * 254}) == 2 * smallest);
}

TEST_CASE("int8: columns are strided, and of any scalar") {
    constexpr std::array rows{1.f, -508.f, 3.f, //
                              4.f, 254.f,  -12.7f};
    BOTH(int8_scale(rows.data(), 2, 3) == 4.f / 127);
    BOTH(int8_scale(rows.data() + 1, 2, 3) == 4);
    BOTH(int8_scale(rows.data() + 2, 2, 3) == 12.7f / 127);
    constexpr std::array halves{half(0.5f), half(-2.f)};
    BOTH(int8_scale(halves.data(), 2) == 2.f / 127);
    constexpr std::array upper{bfloat16(-0x1p-60f)};
    BOTH(int8_scale(upper.data(), 1) == 0x1p-60f / 127);
    int8_range parts;
    parts.add(-1);
    parts.add(0.5f);
    CHECK(parts.scale() == 1.f / 127);
}

TEST_CASE("int8: what is kept is off by half of a scale at most, and is kept as it is") {
    std::mt19937 random(30);
    std::uniform_real_distribution<float> digits(-1, 1);
    std::uniform_int_distribution<int> exponents(-149, 127), lengths(1, 37);
    int differences = 0;
    for (int round = 0; round < 20000; ++round) {
        std::vector<float> column(static_cast<std::size_t>(lengths(random)));
        int const exponent = exponents(random);
        for (float& weight : column)
            weight = std::ldexp(digits(random), exponent) * 1.99f;
        float const scale = int8_scale(column.data(), column.size());
        CHECK((scale == 0 || (std::isnormal(scale) && scale > 0)));
        std::vector<float> kept;
        int most = 0;
        for (float const weight : column) {
            int const number = whole(weight, scale);
            most = std::max(most, std::abs(number));
            kept.push_back(int8_value(int8(number), scale));
            double const off = std::abs(double(kept.back()) - double(weight));
            CHECK(off <= std::max(double(scale), double(smallest)) * 0.50001);
        }
        CHECK((most == 127 || scale == smallest || scale == 0));
        float const again = int8_scale(kept.data(), kept.size());
        auto const bits = [](float number) {
            return static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(number));
        };
        CHECK(std::abs(bits(again) - bits(scale)) <= 1);
        differences += again != scale;
        for (std::size_t k = 0; k < column.size(); ++k)
            CHECK(whole(kept[k], again) == whole(column[k], scale));
    }
    CHECK(differences < 2000); // and hardly ever by that one
}

} // namespace int8_test
