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

// Widths: names of a cell's sizes; a plain number of features is a width too. `size<"context">` is one of a
// cell's own, which is given as `.own = {{"context", 7}}`.
template <literal Name>
inline constexpr width size = width_called(name_of(key<Name>{}));
inline constexpr width units = symbol::units;
inline constexpr width projection = symbol::projection;

/// What a step is given: x, [batch, size<"input">], and inputs with names of their own, `input<"context",
/// 7>`; such a width is by default the size of that name. `constexpr auto wave = input_of<3>;` is x of
/// another width.
template <literal Name, width Width = size<Name>>
inline constexpr input_term<key<Name>, key_of_width<Width>> input{};
template <width Width>
inline constexpr input_term<boost::hana::string<'x'>, key_of_width<Width>> input_of{};
inline constexpr auto x = input_of<symbol::input>;

/// A state, [batch, units] or of the width that it names: `state<"m", projection>`, `state<"c", 3>`.
template <literal Name, width Width = units>
inline constexpr state_term<key<Name>, key_of_width<Width>> state{};
inline constexpr auto h = state<"h">;

/// The state after the step.
template <class Key, class Width>
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
inline constexpr parameter_term<key<Name, 'W', '_'>, form::matrix, key_of_width<Columns>> W{};
template <literal Name, width Columns = symbol::open>
inline constexpr parameter_term<key<Name, 'R', '_'>, form::matrix, key_of_width<Columns>> R{};
template <literal Name, width Columns = symbol::open>
inline constexpr parameter_term<key<Name>, form::matrix, key_of_width<Columns>> matrix{};

/// Bias vectors, added: b_f, or a name of one's own.
template <literal Name>
inline constexpr parameter_term<key<Name, 'b', '_'>, form::bias> b{};
template <literal Name>
inline constexpr parameter_term<key<Name>, form::bias> bias{};

/// Vectors multiplied elementwise, such as peepholes: p_i, or a name of one's own.
template <literal Name>
inline constexpr parameter_term<key<Name, 'p', '_'>, form::vector> p{};
template <literal Name>
inline constexpr parameter_term<key<Name>, form::vector> vector{};

/// A number that is trained.
template <literal Name>
inline constexpr parameter_term<key<Name>, form::scalar> scalar{};

/// `x * grouped(W<"i">)`: the features of x and of the result are cut into groups, and each group has a
/// matrix of its own; the same as a product with a block-diagonal matrix. `grouped<4>(...)` has its own
/// number of groups.
template <width Groups = symbol::groups, class Key, class Columns, bool Fixed>
constexpr parameter_term<Key, form::matrix, Columns, key_of_width<Groups>, Fixed>
grouped(parameter_term<Key, form::matrix, Columns, void, Fixed>) {
    return {};
}

template <width Groups = symbol::groups, expression E>
constexpr E grouped(E e) {
    static_assert(never<E>,
                  "sluice: grouped() takes a matrix by its name, once, as in grouped(W<>); its transpose is "
                  "transposed(grouped(W<>))");
    return e;
}

/// A parameter that is given its value and never trained.
template <class Key, form Form, class Columns, class Groups>
constexpr parameter_term<Key, Form, Columns, Groups, true>
fixed(parameter_term<Key, Form, Columns, Groups, false>) {
    return {};
}

template <expression E>
constexpr E fixed(E e) {
    static_assert(never<E>,
                  "sluice: fixed() takes a matrix, a vector, a bias or a scalar by its name, once, as in "
                  "fixed(matrix<>)");
    return e;
}

/// `h * transposed(R<"k">)`; sums, differences and multiples of matrices are matrices too: `h * (K -
/// transposed(K))`.
template <expression E>
constexpr transposed_term<E> transposed(E) {
    return {};
}

/// A number given to the cell when it is made, and never trained: `setting<"forget_bias">`, and with a
/// default `setting<"forget_bias">(1_n)`.
template <literal Name>
inline constexpr setting_term<key<Name>> setting{};

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

/// Features side by side, and the features [From, From + Width) of z: `slice<0, units>(z)`.
template <expression First, expression... More>
constexpr concat_term<First, More...> concat(First, More...) {
    return {};
}
template <width From, width Width, expression E>
constexpr slice_term<key_of_width<From>, key_of_width<Width>, E> slice(E) {
    return {};
}

/// One number for each row, of its features. Features that are equally large share the derivative of max.
// clang-format off
template <expression E> constexpr function_term<operation::sum, E> sum(E) { return {}; }
template <expression E> constexpr function_term<operation::largest, E> max(E) { return {}; }
template <expression E> constexpr auto mean(E e) { return sum(e) / features_term<E>{}; }

// clang-format on

/// The larger of two, element by element; where they are equal, each has half of the derivative.
template <expression L, expression R>
constexpr function_term<operation::maximum, L, R> max(L, R) {
    return {};
}
template <expression E>
constexpr function_term<operation::maximum, number_term<'1'>, E> max(plain_one, E) {
    return {};
}
template <expression E>
constexpr function_term<operation::maximum, E, number_term<'1'>> max(E, plain_one) {
    return {};
}

} // namespace sluice::equation
