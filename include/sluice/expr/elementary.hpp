// SPDX-License-Identifier: BSL-1.0
// Elementary functions: those of <cmath>, by its names, and powers. Outside of where they are defined they
// give what <cmath> gives: the logarithm of 0 is -infinity, of a negative number a NaN.
#pragma once

#include <cmath>
#include <sluice/expr/comparison.hpp>
#include <sluice/expr/number.hpp>
#include <sluice/expr/operation.hpp>
#include <sluice/expr/operators.hpp>

namespace sluice::operation {

using equation::operator""_n;

/// -1, 0 or 1; its derivative is 0.
struct signum {
    static constexpr std::string_view name = "sign";
    template <class T>
    static T value(T z) {
        return select(z > T(0), T(1), select(z < T(0), T(-1), z));
    }
    static constexpr auto derivative(auto, auto) { return zero{}; }
};

/// The largest whole number that is not above z; its derivative is 0.
struct floor {
    static constexpr std::string_view name = "floor";
    template <class T>
    static T value(T z) {
        using std::floor;
        return floor(z);
    }
    static constexpr auto derivative(auto, auto) { return zero{}; }
};

/// |z|; its derivative at 0 is 0.
struct abs {
    static constexpr std::string_view name = "abs";
    template <class T>
    static T value(T z) {
        using std::abs;
        return abs(z);
    }
    static constexpr auto derivative(auto z, auto) { return of<signum>(z); }
};

/// e^z
struct exp {
    static constexpr std::string_view name = "exp";
    template <class T>
    static T value(T z) {
        using std::exp;
        return exp(z);
    }
    static constexpr auto derivative(auto, auto y) { return y; }
};

/// e^z - 1, exactly also where z is small
struct expm1 {
    static constexpr std::string_view name = "expm1";
    template <class T>
    static T value(T z) {
        using std::expm1;
        return expm1(z);
    }
    static constexpr auto derivative(auto, auto y) { return y + 1; }
};

/// The natural logarithm.
struct log {
    static constexpr std::string_view name = "log";
    template <class T>
    static T value(T z) {
        using std::log;
        return log(z);
    }
    static constexpr auto derivative(auto z, auto) { return 1 / z; }
};

/// log(1 + z), exactly also where z is small
struct log1p {
    static constexpr std::string_view name = "log1p";
    template <class T>
    static T value(T z) {
        using std::log1p;
        return log1p(z);
    }
    static constexpr auto derivative(auto z, auto) { return 1 / (1 + z); }
};

struct sin;

/// The cosine of z radians.
struct cos {
    static constexpr std::string_view name = "cos";
    template <class T>
    static T value(T z) {
        using std::cos;
        return cos(z);
    }
    static constexpr auto derivative(auto z, auto) { return -of<sin>(z); }
};

/// The sine of z radians.
struct sin {
    static constexpr std::string_view name = "sin";
    template <class T>
    static T value(T z) {
        using std::sin;
        return sin(z);
    }
    static constexpr auto derivative(auto z, auto) { return of<cos>(z); }
};

/// The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to z.
struct erf {
    static constexpr std::string_view name = "erf";
    template <class T>
    static T value(T z) {
        using std::erf;
        return erf(z);
    }
    static constexpr auto derivative(auto z, auto) { return 1.1283791670955126_n * of<exp>(-(z * z)); }
};

/// z^2
struct square {
    static constexpr std::string_view name = "square";
    static constexpr bool cheap = true;
    template <class T>
    static T value(T z) {
        return z * z;
    }
    static constexpr auto derivative(auto z, auto) { return 2_n * z; }
};

/// 1 / z
struct reciprocal {
    static constexpr std::string_view name = "reciprocal";
    template <class T>
    static T value(T z) {
        return T(1) / z;
    }
    static constexpr auto derivative(auto, auto y) { return -(y * y); }
};

/// The square root; its derivative at 0 is infinite.
struct sqrt {
    static constexpr std::string_view name = "sqrt";
    template <class T>
    static T value(T z) {
        using std::sqrt;
        return sqrt(z);
    }
    static constexpr auto derivative(auto, auto y) { return 0.5_n / y; }
};

/// The square root of a sum of squares; its derivative at 0 is 0.
struct length {
    static constexpr std::string_view name = "sqrt";
    static constexpr bool of_word = true; // norm()
    template <class T>
    static T value(T z) {
        return sqrt::value(z);
    }
    static constexpr auto derivative(auto z, auto y) {
        return of<choose>(of<greater>(z, zero{}), 0.5_n / y, zero{});
    }
};

/// 1 / sqrt(z)
struct rsqrt {
    static constexpr std::string_view name = "rsqrt";
    template <class T>
    static T value(T z) {
        return T(1) / sqrt::value(z);
    }
    static constexpr auto derivative(auto, auto y) { return -0.5_n * (y * y * y); }
};

/// a^b; of a negative a for whole b only.
struct power {
    static constexpr std::string_view name = "pow";
    template <class T>
    static T value(T a, T b) {
        using std::pow;
        return select(b == T(0), T(1), pow(a, b));
    }
    static constexpr auto derivative(auto a, auto b, auto y) {
        return each(b * of<power>(a, b - 1), y * of<log>(a));
    }
};

} // namespace sluice::operation

namespace sluice::equation::detail {

template <int N, expression E>
constexpr auto whole_power(E z) {
    if constexpr (N == 1)
        return z;
    else if constexpr (N % 2 == 0)
        return operation::of<operation::square>(whole_power<N / 2>(z));
    else
        return whole_power<N - 1>(z) * z;
}

/// z to the power of an exponent: squares and products for whole numbers up to 16, roots and reciprocals by
/// themselves, else pow().
template <expression E, expression Exponent>
constexpr auto power_of(E z, Exponent exponent) {
    constexpr double n = number_of<Exponent>; // 0 of what is no number
    static_assert(n != 0 || !is_number<Exponent>, "sluice: what has the power of 0 is 1; write 1");
    constexpr bool is_whole = n >= 1 && n <= 16 && static_cast<int>(n) == n;
    if constexpr (is_whole)
        return whole_power<static_cast<int>(n)>(z);
    else if constexpr (n == -1)
        return operation::of<operation::reciprocal>(z);
    else if constexpr (n == 0.5)
        return operation::of<operation::sqrt>(z);
    else if constexpr (n == -0.5)
        return operation::of<operation::rsqrt>(z);
    else
        return operation::of<operation::power>(z, exponent);
}

} // namespace sluice::equation::detail
