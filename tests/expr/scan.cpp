// SPDX-License-Identifier: BSL-1.0
// Scans: what is one, and in which direction it goes; tests/law has the gradients.
#include <doctest/doctest.h>
#include <sluice/expr/reduction.hpp>
#include <sluice/expr/scan.hpp>
#include <type_traits>

namespace scan_test {

namespace operation = sluice::operation;
using namespace sluice::equation;

namespace {

/// y_k = a_k y_k-1 + b_k
struct linear {
    static constexpr std::string_view name = "linear";
    template <class T>
    static T start() {
        return T(0);
    }
    template <class T>
    static T step(T before, T a, T b) {
        return a * before + b;
    }
    static constexpr auto gradient(auto a, auto b, auto, auto dy) { return each(b * dy, a * dy); }
};
/// What stands one place in front.
struct shifted {
    static constexpr std::string_view name = "shifted";
    template <class T>
    static T start() {
        return T(-1);
    }
    template <class T>
    static T step(T before, T) {
        return before;
    }
    template <class T>
    static T pass_on(T, T z) {
        return z;
    }
    static constexpr auto gradient(auto, auto, auto dy) { return dy; }
};

} // namespace

TEST_CASE("scan: functions with a step are scans, of as many operands as it takes after the first") {
    static_assert(scanning<linear> && sluice::equation::detail::operands_of_scan<linear>() == 2);
    static_assert(scanning<operation::cumulative_sum> && !reduction<operation::cumulative_sum>);
    static_assert(!scanning<operation::sum> && !scanning<operation::add>);
    static_assert(!has_value<linear, 1> && !has_value<linear, 2> && !has_value<linear, 3>);
    static_assert(has_gradient<linear, 2> && !has_gradient<linear, 1>);
    CHECK(scanning<linear>);
}

TEST_CASE("scan: what is reversed, associative and passed on is said by the function, or is not so") {
    static_assert(!is_reversed<operation::cumulative_sum> && is_reversed<operation::reverse_cumulative_sum>);
    static_assert(is_associative<operation::cumulative_sum>);
    static_assert(!is_reversed<linear> && !is_associative<linear>);
    CHECK(passed_on<linear>(3.0, 5.0, 7.0) == 3);
    CHECK(passed_on<shifted>(3.0, 5.0) == 5);
}

TEST_CASE("scan: a cumulative sum takes what stands in front of it") {
    CHECK(operation::cumulative_sum::start<float>() == 0);
    CHECK(operation::cumulative_sum::step(1.5, -4.0) == -2.5);
    CHECK(operation::reverse_cumulative_sum::step(1.5, -4.0) == -2.5);
}

} // namespace scan_test
