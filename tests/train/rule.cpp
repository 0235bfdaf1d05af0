// SPDX-License-Identifier: BSL-1.0
// What rules of optimisers share: intervals of numbers, settings that are refused, and steps of numbers in
// memory.
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/core/half.hpp>
#include <sluice/train/rule.hpp>
#include <support/both.hpp>
#include <vector>

namespace rule_test {

using namespace sluice;
using doctest::Contains;
using bad = std::invalid_argument;

namespace {

template <class S>
bool holds(interval const& within, std::vector<S> const& numbers) {
    return within.contains(std::span<S const>(numbers));
}

/// w <- w - rate (g + m), where m counts its steps.
struct counting {
    double learning_rate = 0.5;
    template <class A>
    std::array<A, 2> constants(std::int64_t step) const {
        return {static_cast<A>(learning_rate), static_cast<A>(step)};
    }
    template <class N>
    static N next(std::array<N, 2> const& constants, N const& w, N const& g, std::array<N, 1>& slot) {
        slot[0] = slot[0] + constants[1];
        return w - constants[0] * (g + slot[0]);
    }
};

} // namespace

TEST_CASE("rule: an interval has its ends, and neither NaN nor what lies beyond") {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    interval const some{-1, 2};
    CHECK(holds<float>(some, {}));
    CHECK(holds<float>(some, {-1, 0, -0.0f, 2}));
    CHECK_FALSE(holds<float>(some, {0, std::nextafter(2.0f, 3.0f)}));
    CHECK_FALSE(holds<float>(some, {std::nextafter(-1.0f, -2.0f), 0}));
    for (double const wrong : {infinite, -infinite, std::nan("")})
        for (std::size_t at = 0; at < 17; ++at) { // wherever SIMD has its ends
            std::vector<double> numbers(17);
            numbers[at] = wrong;
            CHECK_FALSE(holds(some, numbers));
            CHECK(holds<double>(symmetric(infinite), numbers) == (wrong == wrong));
        }
    CHECK(holds<half>(symmetric(2), {rounded<half>(-2.0f)}));
    CHECK_FALSE(holds<half>(symmetric(2), {rounded<half>(std::nanf(""))}));
    BOTH(symmetric(3).low == -3);
    BOTH(symmetric(3).high == 3);
}

TEST_CASE("rule: a learning rate is finite, in the numbers of the cell too") {
    using sluice::detail::require_learning_rate;
    CHECK_NOTHROW(require_learning_rate<float>("sgd", 0));
    CHECK_NOTHROW(require_learning_rate<float>("sgd", 3e38));
    CHECK_NOTHROW(require_learning_rate<double>("sgd", 1e300));
    CHECK_THROWS_AS(require_learning_rate<float>("sgd", 3.5e38), bad);
    CHECK_THROWS_AS(require_learning_rate<float>("sgd", 3e38, 2), bad);
    CHECK_THROWS_WITH_AS(require_learning_rate<double>("sgd", -1),
                         Contains("sgd expects a learning rate from 0 to "), bad);
    CHECK_THROWS_WITH_AS(require_learning_rate<double>("sgd", std::nan("")), Contains("but it is nan"), bad);
}

TEST_CASE("rule: a decay is below 1, in the numbers of the cell too") {
    using sluice::detail::require_decay;
    CHECK_NOTHROW(require_decay<float>("adam", "beta1", 0));
    CHECK_NOTHROW(require_decay<float>("adam", "beta1", 0.9999999));
    double const nearly = std::nextafter(1.0, 0.0);
    CHECK_NOTHROW(require_decay<double>("adam", "beta1", nearly));
    CHECK_THROWS_WITH_AS(
        require_decay<float>("adam", "beta1", nearly),
        Contains("adam expects beta1 from 0 to below 1, also when rounded to the cell's numbers"), bad);
    for (double const wrong : {1.0, -1e-9, std::nan("")})
        CHECK_THROWS_AS(require_decay<double>("adam", "beta1", wrong), bad);
}

TEST_CASE(
    "rule: a step goes over all numbers with their slots, and ends at the last number that can be kept") {
    std::vector<double> w{1, 2, -3}, slot{10, 0, 0};
    std::vector<double> const g{0.5, -1, 4};
    sluice::detail::step_numbers<counting, double, 1>({}, 2, w, g, {slot.data()});
    CHECK(slot == std::vector<double>{12, 2, 2});
    CHECK(w == std::vector<double>{1 - 0.5 * 12.5, 2 - 0.5 * 1, -3 - 0.5 * 6});

    std::vector<half> small{rounded<half>(60000.0f), rounded<half>(-60000.0f)};
    std::vector<half> const slope{rounded<half>(-50000.0f), rounded<half>(50000.0f)};
    std::vector<float> count(2);
    sluice::detail::step_numbers<counting, half, 1>({}, 1, small, slope, {count.data()});
    CHECK(in_double(small[0]) == 65504);
    CHECK(in_double(small[1]) == -65504);
    CHECK(count[0] == 1);
    CHECK(std::isnan(in_double(sluice::detail::rounded_weight<half>(std::nanf("")))));
    CHECK(sluice::detail::rounded_weight<float>(std::numeric_limits<float>::infinity()) ==
          std::numeric_limits<float>::infinity());
}

} // namespace rule_test
