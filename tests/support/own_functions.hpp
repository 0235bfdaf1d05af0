// SPDX-License-Identifier: BSL-1.0
// A user's own function of two operands, and a reduction.
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

} // namespace support
