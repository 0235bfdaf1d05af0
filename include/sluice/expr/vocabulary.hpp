// SPDX-License-Identifier: BSL-1.0
// The words of the equation language, on one screen.
//
//   using namespace sluice::equation;
//   constexpr auto f = gate<"f">;
//   constexpr auto n = gate<"n">;
//   struct mgu {
//       static constexpr auto equations = sluice::lines(
//           f       = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">),
//           n       = tanh(x * W<"n"> + (f * h) * R<"n"> + b<"n">),
//           next(h) = (1 - f) * h + f * n);
//   };
#pragma once

#include <limits>
#include <sluice/core/decimal.hpp>
#include <sluice/expr/activation.hpp>
#include <sluice/expr/operators.hpp>
#include <sluice/expr/term.hpp>

namespace sluice::equation {

// Widths: symbols of a cell's sizes; a plain number of features is a width too.
inline constexpr width input = symbol::input;
inline constexpr width units = symbol::units;
inline constexpr width projection = symbol::projection;

/// The input of the step, [batch, input]; `constexpr auto wave = input_of<3>;` declares it with another width.
inline constexpr input_term<input> x{};
template <width Width>
inline constexpr input_term<Width> input_of{};

/// A state, [batch, units] or of the width that it names: `state<"m", projection>`, `state<"c", 3>`.
template <literal Name, width Width = units>
inline constexpr state_term<key<Name>, Width> state{};
inline constexpr state_term<boost::hana::string<'h'>, units> h{};

/// The state after the step.
template <class Key, width Width>
constexpr next_term<Key, Width> next(state_term<Key, Width>) {
    return {};
}

/// What the step returns; without an equation for it, the next h (or the only state).
inline constexpr output_term output{};

/// A name for a part of the equations.
template <literal Name>
inline constexpr gate_term<key<Name>> gate{};

/// Weight matrices: W_f for the input, R_f for the recurrent state, or a name of one's own.
/// Their widths follow from their neighbours; `W<"y", 10>` gives the columns.
template <literal Name, width Columns = symbol::open>
inline constexpr matrix_term<key<Name, 'W', '_'>, Columns, false> W{};
template <literal Name, width Columns = symbol::open>
inline constexpr matrix_term<key<Name, 'R', '_'>, Columns, false> R{};
template <literal Name, width Columns = symbol::open>
inline constexpr matrix_term<key<Name>, Columns, false> matrix{};

/// `x * grouped(W<"i">)`: the features of x and of the result are cut into groups, and each group has a
/// matrix of its own; the same as a product with a block-diagonal matrix.
template <class Key, width Columns>
constexpr matrix_term<Key, Columns, true> grouped(matrix_term<Key, Columns, false>) {
    return {};
}

/// Bias vectors, added: b_f, or a name of one's own.
template <literal Name>
inline constexpr bias_term<key<Name, 'b', '_'>> b{};
template <literal Name>
inline constexpr bias_term<key<Name>> bias{};

/// Vectors multiplied elementwise, such as peepholes: p_i, or a name of one's own.
template <literal Name>
inline constexpr vector_term<key<Name, 'p', '_'>> p{};
template <literal Name>
inline constexpr vector_term<key<Name>> vector{};

/// A number given to the cell when it is made, and never trained: `setting<"forget_bias">`, and with a default
/// `setting<"forget_bias">(1_n)`.
template <literal Name>
inline constexpr setting_term<key<Name>> setting{};

/// A number in an equation: `2_n * z`, `0.5_n`; a named one: `constexpr auto dt = 0.1_n`. It is the nearest double.
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

} // namespace sluice::equation
