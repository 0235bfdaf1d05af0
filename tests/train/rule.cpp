// SPDX-License-Identifier: BSL-1.0
// What rules of optimisers share: intervals of numbers, settings that are refused, and steps of numbers in
// memory.
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/core/half.hpp>
#include <sluice/train/adam.hpp>
#include <sluice/train/rule.hpp>
#include <span>
#include <support/both.hpp>
#include <type_traits>
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

/// Adam, one number at a time.
struct alone : adam_options {
    static constexpr bool in_batches = false;
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

TEST_CASE_TEMPLATE("rule: an interval sees a number that is beyond it wherever it lies", S, float, double) {
    interval const some{-1, 2};
    for (std::size_t count = 1; count < 70; ++count)
        for (std::size_t at = 0; at < count; ++at)
            for (S const wrong : {S(2.5), S(-1.5), std::numeric_limits<S>::quiet_NaN()}) {
                std::vector<S> numbers(count, S(2));
                CHECK(holds(some, numbers));
                numbers[at] = wrong;
                CHECK_FALSE(holds(some, numbers));
            }
}

TEST_CASE_TEMPLATE("rule: in batches a number steps as alone, to the bit wherever it lies", S, float,
                   double) {
    constexpr std::size_t count = 67;
    std::vector<S> w, g, m, v;
    for (std::size_t i = 0; i < count; ++i) {
        auto const x = static_cast<S>(i);
        w.push_back(std::sin(x)), g.push_back(std::cos(S(3) * x)), m.push_back(std::sin(S(2) * x) / 3);
        v.push_back(std::abs(std::cos(x)) / 5);
    }
    adam_options const adam{.learning_rate = 0.03};
    auto const step = [&](auto const& rule, std::size_t first, std::size_t end, auto& weights, auto& means,
                          auto& squares) {
        using rule_type = std::remove_cvref_t<decltype(rule)>;
        sluice::detail::step_numbers<rule_type, S, 2>(rule, 3, std::span(weights).subspan(first, end - first),
                                                      std::span<S const>(g).subspan(first, end - first),
                                                      {means.data() + first, squares.data() + first});
    };
    auto w_whole = w, m_whole = m, v_whole = v;
    step(adam, 0, count, w_whole, m_whole, v_whole);
    for (std::size_t first = 0; first < count; first += 3)
        for (std::size_t end = first; end <= count; end += 2) {
            auto w_part = w, m_part = m, v_part = v;
            step(adam, first, end, w_part, m_part, v_part);
            bool are_equal = true;
            for (std::size_t i = 0; i < count; ++i) {
                bool const is_inside = i >= first && i < end;
                are_equal = are_equal && w_part[i] == (is_inside ? w_whole : w)[i] &&
                            m_part[i] == (is_inside ? m_whole : m)[i] &&
                            v_part[i] == (is_inside ? v_whole : v)[i];
            }
            CHECK(are_equal);
        }
    auto w_alone = w, m_alone = m, v_alone = v;
    step(alone{adam}, 0, count, w_alone, m_alone, v_alone);
    for (std::size_t i = 0; i < count; ++i) {
        CHECK(w_whole[i] == doctest::Approx(w_alone[i]).epsilon(sizeof(S) == 4 ? 1e-6 : 1e-14));
        CHECK(m_whole[i] == doctest::Approx(m_alone[i]).epsilon(sizeof(S) == 4 ? 1e-6 : 1e-14));
        CHECK(v_whole[i] == doctest::Approx(v_alone[i]).epsilon(sizeof(S) == 4 ? 1e-6 : 1e-14));
    }
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
