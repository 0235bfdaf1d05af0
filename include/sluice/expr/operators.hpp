// SPDX-License-Identifier: BSL-1.0
// + - * between terms, and the plain number 1 in `1 - z` and `1 + z`.
#pragma once

#include <sluice/expr/term.hpp>

namespace sluice::equation {

/// A plain number cannot be part of an empty type; the one that papers need is 1. Other numbers carry a
/// suffix: `2_n * z`, `0.5_n * z`.
struct one {
    consteval one(int value) {
        if (value != 1)
            throw "sluice: only the number 1 may be written plainly; write others with the suffix _n, as in "
                  "0.5_n";
    }
};

template <expression L, expression R>
constexpr binary_term<operation::add, L, R> operator+(L, R) {
    return {};
}
template <expression L, expression R>
constexpr binary_term<operation::subtract, L, R> operator-(L, R) {
    return {};
}
template <expression L, expression R>
constexpr binary_term<operation::multiply, L, R> operator*(L, R) {
    return {};
}
template <expression E>
constexpr negative_term<E> operator-(E) {
    return {};
}

template <expression E>
constexpr binary_term<operation::add, number_term<'1'>, E> operator+(one, E) {
    return {};
}
template <expression E>
constexpr binary_term<operation::add, E, number_term<'1'>> operator+(E, one) {
    return {};
}
template <expression E>
constexpr binary_term<operation::subtract, number_term<'1'>, E> operator-(one, E) {
    return {};
}
template <expression E>
constexpr binary_term<operation::subtract, E, number_term<'1'>> operator-(E, one) {
    return {};
}

} // namespace sluice::equation
