// SPDX-License-Identifier: BSL-1.0
// Numbers in equations.
#pragma once

#include <limits>
#include <sluice/core/decimal.hpp>
#include <sluice/expr/operation.hpp>
#include <sluice/expr/term.hpp>

namespace sluice::equation {

/// A number in an equation: `2_n * z`, `0.5_n`; a named one: `constexpr auto dt = 0.1_n`. It is the nearest
/// double.
template <char... Digits>
constexpr number_term<Digits...> operator""_n() {
    using number = number_term<Digits...>;
    static_assert(is_decimal(number::literal),
                  "sluice: numbers in equations are decimal, such as 16_n or 0.5_n; C++ "
                  "reads 0x10 as hexadecimal, 0b10 as binary and 010 as octal");
    static_assert(nearest_double(number::literal) < std::numeric_limits<double>::infinity(),
                  "sluice: a number is larger than any double, about 1.8e308; write a smaller one");
    return {};
}

/// A number that stands in the program anyhow, by the name of its constant: with `constexpr double dt = 0.1;`
/// outside of functions, `number<dt> * z`.
template <auto const& Constant>
constexpr value_term<Constant> number_of_constant() {
    constexpr double value = static_cast<double>(Constant);
    static_assert(value - value == 0, "sluice: a number in an equation is finite, and this constant is not");
    return {};
}
template <auto const& Constant>
inline constexpr value_term<Constant> number = number_of_constant<Constant>();

/// What a number is; 0 of anything else.
template <class>
inline constexpr double number_of = 0;
template <char... Digits>
inline constexpr double number_of<number_term<Digits...>> = nearest_double(number_term<Digits...>::literal);
template <auto const& Constant>
inline constexpr double number_of<value_term<Constant>> = static_cast<double>(Constant);
template <class E>
inline constexpr double number_of<function_term<operation::negate, E>> = -number_of<E>;

} // namespace sluice::equation
