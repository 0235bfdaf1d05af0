// SPDX-License-Identifier: BSL-1.0
// + - * / and comparisons between terms, and the plain number 1, as in `1 - z`. What else <cmath> would offer
// is refused with a sentence.
#pragma once

#include <sluice/core/refuse.hpp>
#include <sluice/expr/comparison.hpp>
#include <sluice/expr/operation.hpp>
#include <type_traits>

namespace sluice {

/// A plain number cannot be part of an empty type; the one that papers need is 1. Other numbers carry a
/// suffix: `2_n * z`, `0.5_n * z`.
struct plain_one {
    template <class Number>
        requires std::is_arithmetic_v<Number>
    consteval plain_one(Number value) { refuse_plain_number(value); }
};

namespace equation {

template <expression L, expression R>
constexpr function_term<operation::add, L, R> operator+(L, R) {
    return {};
}
template <expression E>
constexpr function_term<operation::add, number_term<'1'>, E> operator+(plain_one, E) {
    return {};
}
template <expression E>
constexpr function_term<operation::add, E, number_term<'1'>> operator+(E, plain_one) {
    return {};
}
template <expression L, expression R>
constexpr function_term<operation::subtract, L, R> operator-(L, R) {
    return {};
}
template <expression E>
constexpr function_term<operation::subtract, number_term<'1'>, E> operator-(plain_one, E) {
    return {};
}
template <expression E>
constexpr function_term<operation::subtract, E, number_term<'1'>> operator-(E, plain_one) {
    return {};
}
template <expression L, expression R>
constexpr function_term<operation::multiply, L, R> operator*(L, R) {
    return {};
}
template <expression E>
constexpr function_term<operation::multiply, number_term<'1'>, E> operator*(plain_one, E) {
    return {};
}
template <expression E>
constexpr function_term<operation::multiply, E, number_term<'1'>> operator*(E, plain_one) {
    return {};
}
template <expression L, expression R>
constexpr function_term<operation::divide, L, R> operator/(L, R) {
    return {};
}
template <expression E>
constexpr function_term<operation::divide, number_term<'1'>, E> operator/(plain_one, E) {
    return {};
}
template <expression E>
constexpr function_term<operation::divide, E, number_term<'1'>> operator/(E, plain_one) {
    return {};
}
template <expression E>
constexpr function_term<operation::negate, E> operator-(E) {
    return {};
}

// Conditions, for where(): `h > 1`, `x <= h && !(h < 0_n)`.

template <expression L, expression R>
constexpr function_term<operation::greater, L, R> operator>(L, R) {
    return {};
}
template <expression E>
constexpr function_term<operation::greater, number_term<'1'>, E> operator>(plain_one, E) {
    return {};
}
template <expression E>
constexpr function_term<operation::greater, E, number_term<'1'>> operator>(E, plain_one) {
    return {};
}
template <expression L, expression R>
constexpr function_term<operation::greater_equal, L, R> operator>=(L, R) {
    return {};
}
template <expression E>
constexpr function_term<operation::greater_equal, number_term<'1'>, E> operator>=(plain_one, E) {
    return {};
}
template <expression E>
constexpr function_term<operation::greater_equal, E, number_term<'1'>> operator>=(E, plain_one) {
    return {};
}
template <expression L, expression R>
constexpr function_term<operation::less, L, R> operator<(L, R) {
    return {};
}
template <expression E>
constexpr function_term<operation::less, number_term<'1'>, E> operator<(plain_one, E) {
    return {};
}
template <expression E>
constexpr function_term<operation::less, E, number_term<'1'>> operator<(E, plain_one) {
    return {};
}
template <expression L, expression R>
constexpr function_term<operation::less_equal, L, R> operator<=(L, R) {
    return {};
}
template <expression E>
constexpr function_term<operation::less_equal, number_term<'1'>, E> operator<=(plain_one, E) {
    return {};
}
template <expression E>
constexpr function_term<operation::less_equal, E, number_term<'1'>> operator<=(E, plain_one) {
    return {};
}
template <expression L, expression R>
constexpr function_term<operation::both, L, R> operator&&(L, R) {
    return {};
}
template <expression L, expression R>
constexpr function_term<operation::either, L, R> operator||(L, R) {
    return {};
}
template <expression E>
constexpr function_term<operation::opposite, E> operator!(E) {
    return {};
}

// A function of <cmath> that is no word of the language would be called with a term as if it were a number.
#define SLUICE_NO_WORD(NAME)                                                                                 \
    template <class E, class... More>                                                                        \
        requires expression<E>                                                                               \
    constexpr E NAME(E e, More...) {                                                                         \
        static_assert(never<E>,                                                                              \
                      "sluice: " #NAME " is no word of equations; write a function of your own and apply<> " \
                      "it, as <sluice/expr/operation.hpp> shows");                                           \
        return e;                                                                                            \
    }
SLUICE_NO_WORD(acos)
SLUICE_NO_WORD(asin)
SLUICE_NO_WORD(atan)
SLUICE_NO_WORD(cbrt)
SLUICE_NO_WORD(cosh)
SLUICE_NO_WORD(exp2)
SLUICE_NO_WORD(fabs)
SLUICE_NO_WORD(log10)
SLUICE_NO_WORD(log2)
SLUICE_NO_WORD(sinh)
SLUICE_NO_WORD(tan)
#undef SLUICE_NO_WORD

} // namespace equation
} // namespace sluice
