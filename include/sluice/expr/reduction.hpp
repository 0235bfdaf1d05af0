// SPDX-License-Identifier: BSL-1.0
// Reductions: one number for each row, of its features.
#pragma once

#include <limits>
#include <sluice/expr/comparison.hpp>
#include <sluice/expr/operation.hpp>
#include <sluice/expr/operators.hpp>

namespace sluice::operation {

/// The sum of the features.
struct sum {
    static constexpr std::string_view name = "sum";
    template <class T>
    static T start() {
        return T(0);
    }
    template <class T>
    static T combine(T a, T b) {
        return a + b;
    }
    static constexpr auto derivative(auto, auto) { return one{}; }
};

/// The largest of the features; those that are equal share its derivative.
struct largest {
    static constexpr std::string_view name = "max";
    template <class T>
    static T start() {
        return T(-std::numeric_limits<float>::infinity());
    }
    template <class T>
    static T combine(T a, T b) {
        return maximum::value(a, b);
    }
    static constexpr auto derivative(auto z, auto y) { return of<equal>(z, y) / of<sum>(of<equal>(z, y)); }
};

/// The smallest of the features; those that are equal share its derivative.
struct smallest {
    static constexpr std::string_view name = "min";
    template <class T>
    static T start() {
        return T(std::numeric_limits<float>::infinity());
    }
    template <class T>
    static T combine(T a, T b) {
        return minimum::value(a, b);
    }
    static constexpr auto derivative(auto z, auto y) { return of<equal>(z, y) / of<sum>(of<equal>(z, y)); }
};

/// The largest of the features as a number that has no derivative: what a softmax may subtract from them
/// without becoming another.
struct offset : largest {
    static constexpr bool of_word = true;
    static constexpr auto derivative(auto, auto) { return zero{}; }
};

} // namespace sluice::operation
