// SPDX-License-Identifier: BSL-1.0
#include "fake_cell.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/train/clip.hpp>
#include <span>
#include <stdexcept>
#include <vector>

namespace clip_test {

using sluice::clip_by_global_norm;
using sluice::global_norm;

namespace {

template <class... Maps>
double norm_by_hand(Maps const&... maps) {
    long double sum = 0;
    (
        [&] {
            for (double x : flat(maps))
                sum += static_cast<long double>(x) * static_cast<long double>(x);
        }(),
        ...);
    return static_cast<double>(std::sqrt(sum));
}

} // namespace

TEST_CASE_TEMPLATE("clip: the norm spans all maps, and ranges of maps", S, float, double) {
    auto one = fake_cell<S>::pattern();
    auto two = fake_cell<S>::pattern(0.5);
    auto three = fake_cell<S>::pattern(-2);
    double const expected = norm_by_hand(one, two, three);
    CHECK(global_norm(one) == doctest::Approx(norm_by_hand(one)).epsilon(1e-14));
    CHECK(global_norm(one, two, three) == doctest::Approx(expected).epsilon(1e-14));
    std::vector const range{one, three};
    CHECK(global_norm(two, range) == doctest::Approx(expected).epsilon(1e-14));
    CHECK(global_norm(fake_cell<S>::zeros(2, 3), std::vector<typename fake_cell<S>::parameters_type>{}) == 0);
}

TEST_CASE_TEMPLATE("clip: too long is scaled to the bound, keeping its direction", S, float, double) {
    double const tolerance = std::is_same_v<S, float> ? 1e-6 : 1e-14;
    auto one = fake_cell<S>::pattern();
    std::vector range{fake_cell<S>::pattern(0.5), fake_cell<S>::pattern(-2)};
    auto const before = flat(one);
    double const expected = norm_by_hand(one, range[0], range[1]);
    double const norm = clip_by_global_norm(1.5, one, range);
    CHECK(norm == doctest::Approx(expected).epsilon(1e-14));
    CHECK(global_norm(one, range) == doctest::Approx(1.5).epsilon(tolerance));
    auto const after = flat(one);
    for (std::size_t i = 0; i < after.size(); ++i)
        CHECK(after[i] == doctest::Approx(before[i] * 1.5 / expected).epsilon(tolerance));
}

TEST_CASE_TEMPLATE("clip: within the bound nothing changes, to the bit", S, float, double) {
    auto one = fake_cell<S>::pattern(1.0 / 3);
    auto const before = flat(one);
    double const norm = global_norm(one);
    for (double bound : {norm, 1.5 * norm, std::numeric_limits<double>::infinity()}) {
        CHECK(clip_by_global_norm(bound, one) == norm);
        CHECK(flat(one) == before);
    }
    auto zero = fake_cell<S>::zeros(2, 3);
    CHECK(clip_by_global_norm(1, zero) == 0);
    CHECK(flat(zero) == flat(fake_cell<S>::zeros(2, 3)));
}

TEST_CASE_TEMPLATE("clip: a norm that is not finite is returned, and the gradients stay", S, float, double) {
    for (S bad : {std::numeric_limits<S>::quiet_NaN(), std::numeric_limits<S>::infinity()}) {
        auto one = fake_cell<S>::pattern();
        one["b_r"_s](1) = bad;
        double const norm = clip_by_global_norm(0.5, one);
        CHECK_FALSE(std::isfinite(norm));
        CHECK(std::isnan(norm) == std::isnan(bad));
        CHECK(one["W_r"_s] == fake_cell<S>::pattern()["W_r"_s]);
    }
    auto both = fake_cell<S>::pattern();
    both["b_r"_s](0) = std::numeric_limits<S>::infinity();
    both["b_r"_s](1) = std::numeric_limits<S>::quiet_NaN();
    CHECK(std::isnan(global_norm(both)));
}

TEST_CASE_TEMPLATE("clip: squares out of range do not spoil the norm", S, float, double) {
    double const pattern = norm_by_hand(fake_cell<S>::pattern());
    for (double scale : {static_cast<double>(std::numeric_limits<S>::max()) / 64,
                         static_cast<double>(std::numeric_limits<S>::min()) * 64}) {
        auto one = fake_cell<S>::pattern(scale);
        CHECK(global_norm(one) / scale == doctest::Approx(pattern).epsilon(1e-6));
    }
    auto large = fake_cell<S>::pattern(static_cast<double>(std::numeric_limits<S>::max()) / 64);
    clip_by_global_norm(2, large);
    CHECK(global_norm(large) == doctest::Approx(2).epsilon(1e-6));
}

TEST_CASE_TEMPLATE("clip: numbers are added and scaled wherever they lie", S, float, double) {
    for (std::size_t count = 0; count < 70; ++count) {
        CAPTURE(count);
        std::vector<S> numbers;
        long double sum = 0;
        for (std::size_t i = 0; i < count; ++i) {
            numbers.push_back(std::sin(static_cast<S>(i) + S(0.3)));
            sum += static_cast<long double>(numbers[i]) * static_cast<long double>(numbers[i]);
        }
        auto const squares = [&](double unit) {
            return sluice::detail::sum_of_squares_of(std::span<S const>(numbers), unit);
        };
        CHECK(squares(1) == doctest::Approx(static_cast<double>(sum)).epsilon(1e-14));
        CHECK(squares(3) == doctest::Approx(static_cast<double>(sum / 9)).epsilon(1e-14));
        auto scaled = numbers;
        sluice::detail::scale_numbers(std::span(scaled), 0.7);
        for (std::size_t i = 0; i < count; ++i)
            CHECK(scaled[i] == static_cast<S>(static_cast<double>(numbers[i]) * 0.7));
    }
}

TEST_CASE("clip: refusals") {
    auto one = fake_cell<double>::pattern();
    for (double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
        CHECK_THROWS_WITH_AS(clip_by_global_norm(bad, one), doctest::Contains("above 0"),
                             std::invalid_argument);
    CHECK(flat(one) == flat(fake_cell<double>::pattern()));

    auto const kept = std::move(one);
    CHECK_THROWS_WITH_AS(global_norm(one), doctest::Contains("the map of gradients was moved from"),
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(clip_by_global_norm(1, one), doctest::Contains("was moved from"),
                         std::invalid_argument);
}

} // namespace clip_test
