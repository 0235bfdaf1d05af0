// SPDX-License-Identifier: BSL-1.0
// A user's own function of two operands, a reduction, and scans.
#pragma once

#include <sluice/expr/vocabulary.hpp>
#include <string_view>

namespace support {

struct squared_difference {
    static constexpr std::string_view name = "squared_difference";
    template <class T>
    static T value(T a, T b) {
        return (a - b) * (a - b);
    }
    static constexpr auto derivative(auto a, auto b, auto) {
        using namespace sluice::equation;
        return each(2_n * (a - b), 2_n * (b - a));
    }
};
struct times_all {
    static constexpr std::string_view name = "times_all";
    template <class T>
    static T start() {
        return T(1);
    }
    template <class T>
    static T combine(T a, T b) {
        return a * b;
    }
    static constexpr auto derivative(auto z, auto y) { return y / z; }
};

struct sum_from_record;

/// y_k = dy_k + (1 - r_k+1) y_k+1: what each feature gives to the last one in front of it at which r is 1
struct sum_to_record {
    static constexpr std::string_view name = "sum_to_record";
    static constexpr bool reversed = true;
    template <class T>
    static T start() {
        return T(0);
    }
    template <class T>
    static T step(T before, T dy, T) {
        return before + dy;
    }
    template <class T>
    static T pass_on(T y, T, T record) {
        return (T(1) - record) * y;
    }
    static constexpr auto gradient(auto, auto record, auto, auto dy) {
        using namespace sluice::equation;
        return each(sluice::operation::of<sum_from_record>(dy, record), 0_n);
    }
};
/// y_k = u_k + (1 - r_k) y_k-1
struct sum_from_record {
    static constexpr std::string_view name = "sum_from_record";
    template <class T>
    static T start() {
        return T(0);
    }
    template <class T>
    static T step(T before, T u, T record) {
        return u + (T(1) - record) * before;
    }
    static constexpr auto gradient(auto, auto record, auto, auto dy) {
        using namespace sluice::equation;
        return each(sluice::operation::of<sum_to_record>(dy, record), 0_n);
    }
};
/// The largest of each feature and all in front of it. Of equal ones the last has the gradient.
struct running_maximum {
    static constexpr std::string_view name = "running_maximum";
    template <class T>
    static T start() {
        return T(-std::numeric_limits<float>::infinity());
    }
    template <class T>
    static T step(T before, T z) {
        return sluice::operation::maximum::value(before, z);
    }
    static constexpr auto gradient(auto z, auto y, auto dy) {
        using namespace sluice::operation;
        return of<equal>(z, y) * of<sum_to_record>(dy, of<equal>(z, y));
    }
};

} // namespace support
