// SPDX-License-Identifier: BSL-1.0
// A pointwise function, a reduction and a cell of both, as a user adds them.
#pragma once

#include <cmath>
#include <sluice/xtensor.hpp>
#include <string_view>

namespace outside {

using namespace sluice::equation;
using namespace sluice::literals;

/// A pointwise function: how near a and b are.
struct nearness {
    static constexpr std::string_view name = "nearness";
    template <class T>
    static T value(T a, T b) {
        using std::exp;
        return exp(-(a - b) * (a - b));
    }
    static constexpr auto derivative(auto a, auto b, auto y) {
        return each(2_n * (b - a) * y, 2_n * (a - b) * y);
    }
};

/// A reduction: (1 + z_1) (1 + z_2) ... - 1.
struct compound {
    static constexpr std::string_view name = "compound";
    template <class T>
    static T start() {
        return T(0);
    }
    template <class T>
    static T combine(T a, T b) {
        return a + b + a * b;
    }
    static constexpr auto derivative(auto z, auto y) { return (1 + y) / (1 + z); }
};

constexpr auto near = gate<"k">;
constexpr auto candidate = gate<"n">;

/// A cell that keeps what is near to what it reads.
struct radial {
    static constexpr std::string_view name = "radial";
    // clang-format off
    static constexpr auto equations = sluice::lines(
        near      = apply<nearness>(x * W<"k">, h),
        candidate = tanh(x * W<"n"> + h * R<"n"> + reduce<compound>(h)),
        next(h)   = near * h + (1 - near) * candidate);
    // clang-format on
};

constexpr sluice::sizes extents{.input = 3, .units = 5};

} // namespace outside
