// SPDX-License-Identifier: BSL-1.0
// Functions that compare: the larger and the smaller of two, conditions, and the choice between two values.
//
// A condition is 1 or 0 and stands nowhere but in where(condition, a, b), in !, && and ||, and in a gate of
// its own. Its derivative is 0, and a comparison with a NaN is 0.
#pragma once

#include <sluice/expr/operation.hpp>

namespace sluice::operation {

/// A function of two operands whose derivatives are 0.
struct piecewise_constant {
    static constexpr auto derivative(auto, auto, auto) { return each_term<zero, zero>{}; }
};

/// A condition of two operands.
struct condition : piecewise_constant {
    static constexpr bool is_condition = true, cheap = true;
};

/// A condition that compares two values, and binds less than their sums.
struct comparison : condition {
    static constexpr int strength = 0;
};

/// 1 where a > b, 1/2 where they are equal, else 0
struct exceeds : piecewise_constant {
    static constexpr std::string_view name = "exceeds";
    template <class T>
    static T value(T a, T b) {
        return select(a > b, T(1), select(a == b, T(0.5), T(0)));
    }
};

/// 1 where a and b are equal, else 0
struct equal : piecewise_constant {
    static constexpr std::string_view name = "equal";
    template <class T>
    static T value(T a, T b) {
        return select(a == b, T(1), T(0));
    }
};

/// The larger of a and b, a NaN if one is; where they are equal, half of the derivative is a's and half b's.
struct maximum {
    static constexpr std::string_view name = "max";
    template <class T>
    static T value(T a, T b) {
        return select(a > b, a, select(b >= a, b, a + b));
    }
    static constexpr auto derivative(auto a, auto b, auto) {
        return each(of<exceeds>(a, b), of<exceeds>(b, a));
    }
};

/// The smaller of a and b, a NaN if one is; where they are equal, half of the derivative is a's and half b's.
struct minimum {
    static constexpr std::string_view name = "min";
    template <class T>
    static T value(T a, T b) {
        return select(a < b, a, select(b <= a, b, a + b));
    }
    static constexpr auto derivative(auto a, auto b, auto) {
        return each(of<exceeds>(b, a), of<exceeds>(a, b));
    }
};

/// 1 where a > b, else 0
struct greater : comparison {
    static constexpr std::string_view name = "greater", sign = ">";
    template <class T>
    static T value(T a, T b) {
        return select(a > b, T(1), T(0));
    }
};

/// 1 where a >= b, else 0
struct greater_equal : comparison {
    static constexpr std::string_view name = "greater_equal", sign = ">=";
    template <class T>
    static T value(T a, T b) {
        return select(a >= b, T(1), T(0));
    }
};

/// 1 where a < b, else 0
struct less : comparison {
    static constexpr std::string_view name = "less", sign = "<";
    template <class T>
    static T value(T a, T b) {
        return select(a < b, T(1), T(0));
    }
};

/// 1 where a <= b, else 0
struct less_equal : comparison {
    static constexpr std::string_view name = "less_equal", sign = "<=";
    template <class T>
    static T value(T a, T b) {
        return select(a <= b, T(1), T(0));
    }
};

/// 1 where both conditions are, else 0
struct both : condition {
    static constexpr std::string_view name = "both", sign = "&&";
    static constexpr int strength = -1, conditions = 2;
    template <class T>
    static T value(T a, T b) {
        return a * b;
    }
};

/// 1 where a condition is, else 0
struct either : condition {
    static constexpr std::string_view name = "either", sign = "||";
    static constexpr int strength = -2, conditions = 2;
    template <class T>
    static T value(T a, T b) {
        return select(a > b, a, b);
    }
};

/// 1 where the condition is 0, else 0
struct opposite {
    static constexpr std::string_view name = "opposite", sign = "!";
    static constexpr int strength = 3, conditions = 1;
    static constexpr bool is_condition = true, cheap = true;
    template <class T>
    static T value(T a) {
        return T(1) - a;
    }
    static constexpr auto derivative(auto, auto) { return zero{}; }
};

/// a where the condition is 1, else b. The value and the derivative of the other one are computed too: where
/// they are infinite, the gradient is a NaN, as 0 times infinity is.
struct choose {
    static constexpr std::string_view name = "where";
    static constexpr int conditions = 1;
    template <class T>
    static T value(T condition, T a, T b) {
        return select(condition > T(0), a, b);
    }
    static constexpr auto derivative(auto condition, auto, auto, auto) {
        return each(zero{}, of<choose>(condition, one{}, zero{}), of<choose>(condition, zero{}, one{}));
    }
};

} // namespace sluice::operation
