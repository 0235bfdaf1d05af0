// SPDX-License-Identifier: BSL-1.0
// + - * between terms, and the plain number 1, as in `1 - z`.
#pragma once

#include <sluice/core/refuse.hpp>
#include <sluice/expr/term.hpp>
#include <type_traits>

namespace sluice::equation {

/// A plain number cannot be part of an empty type; the one that papers need is 1. Other numbers carry a
/// suffix: `2_n * z`, `0.5_n * z`.
struct one {
    template <class Number>
        requires std::is_arithmetic_v<Number>
    consteval one(Number value) { refuse_plain_number(value); }
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
template <expression E>
constexpr binary_term<operation::multiply, number_term<'1'>, E> operator*(one, E) {
    return {};
}
template <expression E>
constexpr binary_term<operation::multiply, E, number_term<'1'>> operator*(E, one) {
    return {};
}

} // namespace sluice::equation
