// SPDX-License-Identifier: BSL-1.0
// The words of the equation language; expr/composed.hpp has those that are made of others.
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

#include <sluice/expr/activation.hpp>
#include <sluice/expr/elementary.hpp>
#include <sluice/expr/number.hpp>
#include <sluice/expr/operators.hpp>
#include <sluice/expr/reduction.hpp>
#include <sluice/expr/scan.hpp>
#include <sluice/expr/term.hpp>

namespace sluice::equation {

namespace detail {
template <width Rows, width Columns, width Groups>
using key_of_state =
    std::conditional_t<Columns.kind == symbol::open, key_of_width<Rows>,
                       matrix_width<key_of_width<Rows>, key_of_width<Columns>, key_of_width<Groups>>>;
} // namespace detail

/// Widths: names of a cell's sizes; a plain number of features is a width too. `size<"context">` is one of a
/// cell's own, which is given as `.own = {{"context", 7}}`.
template <literal Name>
inline constexpr width size = width_called(name_of(key<Name>{}));
inline constexpr width units = symbol::units;
inline constexpr width projection = symbol::projection;
inline constexpr width groups = symbol::groups;

/// What a step is given: x, [batch, size<"input">], and inputs with names of their own, `input<"context",
/// 7>`; such a width is by default the size of that name. `constexpr auto wave = input_of<3>;` is x of
/// another width.
template <literal Name, width Width = size<Name>>
inline constexpr input_term<key<Name>, key_of_width<Width>> input{};
template <width Width>
inline constexpr input_term<boost::hana::string<'x'>, key_of_width<Width>> input_of{};
inline constexpr auto x = input_of<symbol::input>;
/// An input of one number for each row, such as the time since the last step: `input_number<"dt">` is given
/// as [batch, 1], and multiplies what has any width.
template <literal Name>
inline constexpr auto input_number = function_term<operation::sum, input_term<key<Name>, number_width<1>>>{};

/// A state, [batch, units] or of the width that it names: `state<"m", projection>`, `state<"c", 3>`. With two
/// widths it is a matrix in each row of the batch, `state<"S", keys, values>`, and with groups one for each
/// head, [groups, keys / groups, values / groups]. Outside of the equations a matrix is a vector, its rows
/// one after the other.
template <literal Name, width Width = units, width Columns = symbol::open, width Groups = symbol::open>
inline constexpr state_term<key<Name>, detail::key_of_state<Width, Columns, Groups>> state{};
inline constexpr auto h = state<"h">;

/// The state after the step.
template <class Key, class Width>
constexpr next_term<Key, Width> next(state_term<Key, Width>) {
    return {};
}

/// Where a state starts if the caller does not say, the same for all rows: `initial(h) = vector<"h0">`. A
/// vector that stands in no other line starts with zeros, as a bias does; fixed(vector<"h0">) is given, and
/// never trained. Without such a line a state starts with zeros.
template <class Key, class Width>
constexpr initial_term<Key, Width> initial(state_term<Key, Width>) {
    return {};
}
template <class Key, class... Widths>
constexpr initial_term<Key, matrix_width<Widths...>> initial(state_term<Key, matrix_width<Widths...>>) {
    static_assert(never<Key>,
                  "sluice: a state that is a matrix starts with zeros; leave the line out, and give a "
                  "run the state that it starts with");
    return {};
}
template <expression E>
constexpr initial_term<boost::hana::string<'h'>, void> initial(E) {
    static_assert(never<E>,
                  "sluice: initial() takes a state by its name, as in initial(h) = vector<\"h0\">; an "
                  "input is given to each step, and a gate is computed in it");
    return {};
}

/// What the step returns; without an equation for it, the next h (or the only state).
inline constexpr output_term output{};

/// A name for a part of the equations.
template <literal Name>
inline constexpr gate_term<key<Name>> gate{};

/// Weight matrices: W_f for the input, R_f for the recurrent state, or a name of one's own.
/// Their widths follow from their neighbours; `W<"y", 10>` gives the columns. `x * W<"f", 1>` is a number of
/// each row, which meets any width.
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

/// Numbers that are trained, one for each place of a matrix value, which they meet element by element:
/// `elements<"A", keys, values>`, and in groups `elements<"A", keys, values, groups>`. Outside of the
/// equations they are a vector, row by row, as such a state is.
template <literal Name, width Rows, width Columns, width Groups = symbol::open>
inline constexpr parameter_term<key<Name>, form::vector, detail::key_of_state<Rows, Columns, Groups>>
    elements{};

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

/// Numbers are `2_n * z`, `0.5_n`, `constexpr auto dt = 0.1_n`, and `number<dt>` of a `constexpr double dt`
/// (expr/number.hpp).

/// Features side by side, and the features [From, From + Width) of z: `slice<0, units>(z)`.
template <expression First, expression... More>
constexpr concat_term<First, More...> concat(First, More...) {
    return {};
}
template <width From, width Width, expression E>
constexpr slice_term<key_of_width<From>, key_of_width<Width>, E> slice(E) {
    return {};
}

// Matrix values, which states and gates can be. A function of one is a matrix too, element by element. `*` of
// a vector and a matrix value is a contraction, which has no second matrix in it:
//
//   k * S   [values]   sum over i of k_i S_ij           S * v   [keys]   sum over j of S_ij v_j
//
// and `*` of a matrix value and a matrix of weights a product of each of its rows:
//
//   S * R<"s">   [keys, columns]   sum over j of S_ij R_jc, and in groups S * grouped(R<"s">)
//
// `outer<groups>(k, v)`, `column<groups>(f)` and `row<groups>(g)` are of each group, or head, by itself; a
// state with groups meets no other.

/// The matrix that has the vector in each of its columns: column(f) * S has f_i S_ij.
template <width Groups = symbol::open, expression E>
constexpr standing_term<stands::as_column, key_of_width<Groups>, E> column(E) {
    return {};
}
/// The matrix that has the vector in each of its rows: row(g) * S has S_ij g_j.
template <width Groups = symbol::open, expression E>
constexpr standing_term<stands::as_row, key_of_width<Groups>, E> row(E) {
    return {};
}
/// The outer product of two vectors, the matrix k_i v_j.
template <width Groups = symbol::open, expression K, expression V>
constexpr auto outer(K k, V v) {
    return column<Groups>(k) * row<Groups>(v);
}

/// A number for each group, or head, in the place of every feature of it: [groups] to as many features as it
/// meets.
template <width Groups, expression E>
constexpr standing_term<stands::in_group, key_of_width<Groups>, E> per_group(E) {
    return {};
}

/// The gradient of a loss with respect to a state, a gate or an input, of the shape of that: of one number
/// for each row, as in `derivative(sum(square(k * S - v)), S)`. With a loss of each head, sum<groups>(z), it
/// is the gradient of their sum. Whatever else stands in the loss is held as it is.
template <expression Loss, expression Of>
    requires can_be_varied<Of>
constexpr derivative_term<Loss, Of> derivative(Loss, Of) {
    return {};
}
template <expression Loss, expression Of>
constexpr Loss derivative(Loss loss, Of) {
    static_assert(never<Of>,
                  "sluice: derivative() takes a loss, and a state, a gate or an input by its name, as in "
                  "derivative(loss, S); parameters are trained from outside");
    return loss;
}
template <expression Loss>
constexpr Loss derivative(Loss loss) {
    static_assert(never<Loss>, "sluice: derivative() takes a loss and what it is varied with, as in "
                               "derivative(loss, S)");
    return loss;
}

/// What x, a state or a gate of so many units was some steps ago: `delay<3>(x)`, `delay<1>(f)`. The library
/// makes a state for each of the steps, "x_t-1", "x_t-2" and "x_t-3", which start with 0 as all states do. A
/// state is by itself what it was after the step before: `delay<1>(h)` is "h_t-2".
template <int Steps, class Key, class Width>
constexpr delay_term<Steps, input_term<Key, Width>, Width> delay(input_term<Key, Width>) {
    static_assert(can_be_delayed<Steps>(Key{}));
    return {};
}
template <int Steps, class Key, class Width>
constexpr delay_term<Steps, state_term<Key, Width>, Width> delay(state_term<Key, Width>) {
    static_assert(can_be_delayed<Steps>(Key{}));
    return {};
}
template <int Steps, width Columns = units, class Key>
constexpr delay_term<Steps, gate_term<Key>, key_of_width<Columns>> delay(gate_term<Key>) {
    static_assert(can_be_delayed<Steps>(Key{}));
    return {};
}
template <int Steps, expression E>
constexpr E delay(E e) {
    static_assert(never<E>,
                  "sluice: delay() takes an input, a state or a gate by its name; give what is delayed a "
                  "gate of its own");
    return e;
}

// clang-format off

/// Functions, element by element (expr/elementary.hpp). A plain 1 is a number here too; others are 2_n,
/// 0.5_n.

template <expression E> constexpr function_term<operation::exp, E> exp(E) { return {}; }
template <expression E> constexpr function_term<operation::expm1, E> expm1(E) { return {}; }
template <expression E> constexpr function_term<operation::log, E> log(E) { return {}; }
template <expression E> constexpr function_term<operation::log1p, E> log1p(E) { return {}; }
template <expression E> constexpr function_term<operation::sin, E> sin(E) { return {}; }
template <expression E> constexpr function_term<operation::cos, E> cos(E) { return {}; }
template <expression E> constexpr function_term<operation::erf, E> erf(E) { return {}; }
template <expression E> constexpr function_term<operation::abs, E> abs(E) { return {}; }
template <expression E> constexpr function_term<operation::signum, E> sign(E) { return {}; }
template <expression E> constexpr function_term<operation::floor, E> floor(E) { return {}; }
template <expression E> constexpr function_term<operation::square, E> square(E) { return {}; }
template <expression E> constexpr function_term<operation::reciprocal, E> reciprocal(E) { return {}; }
template <expression E> constexpr function_term<operation::sqrt, E> sqrt(E) { return {}; }
template <expression E> constexpr function_term<operation::rsqrt, E> rsqrt(E) { return {}; }
/// A power: squares and products for whole numbers up to 16, roots and reciprocals by themselves; else of a
/// positive number, or of a negative one for whole exponents.
template <expression E, expression Exponent> constexpr auto pow(E e, Exponent n) { return detail::power_of(e, n); }
template <expression E> constexpr E pow(E e, plain_one) { return e; }

/// Activations (expr/activation.hpp).

template <expression E> constexpr function_term<activation::identity, E> identity(E) { return {}; }
template <expression E> constexpr function_term<activation::sigmoid, E> sigmoid(E) { return {}; }
template <expression E> constexpr function_term<activation::log_sigmoid, E> log_sigmoid(E) { return {}; }
template <expression E> constexpr function_term<activation::hard_sigmoid, E> hard_sigmoid(E) { return {}; }
template <expression E> constexpr function_term<activation::tanh, E> tanh(E) { return {}; }
template <expression E> constexpr function_term<activation::hard_tanh, E> hard_tanh(E) { return {}; }
template <expression E> constexpr function_term<activation::tanh_shrink, E> tanh_shrink(E) { return {}; }
template <expression E> constexpr function_term<activation::softsign, E> softsign(E) { return {}; }
template <expression E> constexpr function_term<activation::softplus, E> softplus(E) { return {}; }
template <expression E> constexpr function_term<activation::relu, E> relu(E) { return {}; }
template <expression E> constexpr function_term<activation::relu6, E> relu6(E) { return {}; }
template <expression E> constexpr auto leaky_relu(E e) { return leaky_relu(e, 0.01_n); }
template <expression E, expression Slope> constexpr function_term<activation::leaky_relu, E, Slope> leaky_relu(E, Slope) { return {}; }
template <expression E> constexpr function_term<activation::elu, E> elu(E) { return {}; }
template <expression E> constexpr function_term<activation::selu, E> selu(E) { return {}; }
template <expression E> constexpr function_term<activation::gelu, E> gelu(E) { return {}; }
template <expression E> constexpr function_term<activation::gelu_tanh, E> gelu_tanh(E) { return {}; }
template <expression E> constexpr function_term<activation::silu, E> silu(E) { return {}; }
template <expression E> constexpr function_term<activation::silu, E> swish(E) { return {}; }
template <expression E> constexpr function_term<activation::mish, E> mish(E) { return {}; }
template <expression E> constexpr function_term<activation::gaussian, E> gaussian(E) { return {}; }

/// Of two, element by element.

template <expression L, expression R> constexpr function_term<operation::maximum, L, R> max(L, R) { return {}; }
template <expression E> constexpr function_term<operation::maximum, number_term<'1'>, E> max(plain_one, E) { return {}; }
template <expression E> constexpr function_term<operation::maximum, E, number_term<'1'>> max(E, plain_one) { return {}; }
constexpr number_term<'1'> max(plain_one, plain_one) { return {}; }
template <expression L, expression R> constexpr function_term<operation::minimum, L, R> min(L, R) { return {}; }
template <expression E> constexpr function_term<operation::minimum, number_term<'1'>, E> min(plain_one, E) { return {}; }
template <expression E> constexpr function_term<operation::minimum, E, number_term<'1'>> min(E, plain_one) { return {}; }
constexpr number_term<'1'> min(plain_one, plain_one) { return {}; }

/// z between two bounds; at a bound, half of the derivative is z's.
template <expression E, expression Low, expression High> constexpr auto clip(E e, Low low, High high) { return min(max(e, low), high); }
template <expression E, expression High> constexpr auto clip(E e, plain_one, High high) { return clip(e, 1_n, high); }
template <expression E, expression Low> constexpr auto clip(E e, Low low, plain_one) { return clip(e, low, 1_n); }
template <expression E> constexpr auto clip(E e, plain_one, plain_one) { return clip(e, 1_n, 1_n); }

/// where(h > x, a, b); conditions are > >= < <= of values, and && || ! of conditions.

template <expression C, expression A, expression B> constexpr function_term<operation::choose, C, A, B> where(C, A, B) { return {}; }
template <expression C, expression B> constexpr function_term<operation::choose, C, number_term<'1'>, B> where(C, plain_one, B) { return {}; }
template <expression C, expression A> constexpr function_term<operation::choose, C, A, number_term<'1'>> where(C, A, plain_one) { return {}; }
template <expression C> constexpr auto where(C c, plain_one, plain_one) { return where(c, 1_n, 1_n); }

/// One number for each row, of its features (expr/reduction.hpp). Of each group of features, as `sum<4>(z)`
/// or `sum<groups>(z)`: a number for each group, in the place of each of its features.

/// The sum of the features.
template <width Groups = symbol::open, expression E> constexpr auto sum(E e) { return reduce<operation::sum, Groups>(e); }
template <width Groups = symbol::open, expression E> constexpr auto max(E e) { return reduce<operation::largest, Groups>(e); }
template <width Groups = symbol::open, expression E> constexpr auto min(E e) { return reduce<operation::smallest, Groups>(e); }
/// How many features there are, or are in each group: a number.
template <width Groups = symbol::open, expression E> constexpr features_term<E, key_of_width<Groups>> features(E) { return {}; }
/// The sum of the features over their number.
template <width Groups = symbol::open, expression E> constexpr auto mean(E e) { return sum<Groups>(e) / features<Groups>(e); }
/// The mean square of what the features have more than their mean.
template <width Groups = symbol::open, expression E> constexpr auto variance(E e) { return sum<Groups>(square(e - mean<Groups>(e))) / features<Groups>(e); }
/// The Euclidean length of the features; at 0 its derivative is 0.
template <width Groups = symbol::open, expression E> constexpr auto norm(E e) { return function_term<operation::length, decltype(sum<Groups>(square(e)))>{}; }

// All features of a row, made of all of them.
/// The sum of each feature and all in front of it: a master gate of the ON-LSTM is cumsum(softmax(z)).
template <expression E> constexpr function_term<operation::cumulative_sum, E> cumsum(E) { return {}; }
/// The sum of each feature and all after it.
template <expression E> constexpr function_term<operation::reverse_cumulative_sum, E> reverse_cumsum(E) { return {}; }

// clang-format on

// What lacks an operand.
template <expression C, expression A>
constexpr A where(C, A a) {
    static_assert(never<C>, "sluice: where() takes a condition and two values, as in where(h > x, h, x)");
    return a;
}
template <expression E, class... Bound>
    requires(sizeof...(Bound) < 2)
constexpr E clip(E e, Bound...) {
    static_assert(never<E>, "sluice: clip() takes a value and two bounds, as in clip(h, -2_n, 2_n)");
    return e;
}
template <expression E>
constexpr E pow(E e) {
    static_assert(never<E>, "sluice: pow() takes a value and its exponent, as in pow(h, 3_n)");
    return e;
}
} // namespace sluice::equation
