// SPDX-License-Identifier: BSL-1.0
// The terms of an equation. Each is an empty type: nothing is stored, so nothing can dangle, and all that the
// graph needs to know is in the type.
#pragma once

#include <concepts>
#include <sluice/core/extents.hpp>
#include <sluice/core/name.hpp>
#include <sluice/core/refuse.hpp>
#include <string_view>

namespace sluice::equation {

struct term {
    /// Refuses a term as a width.
    template <std::same_as<width> Width>
    constexpr operator Width() const {
        static_assert(never<Width>,
                      "sluice: a term stands where a width is due; widths are units, projection, groups, a "
                      "number, and size<> of a name: size<\"input\"> is that of x, size<\"context\"> that of "
                      "input<\"context\">");
        return symbol::open; // fits everywhere
    }
};

/// What can stand on the right side of a line.
template <class E>
concept expression = std::derived_from<E, term>;

/// What a line of a cell becomes.
template <class Key, expression E>
struct gate_definition {};
template <class Key, class Width, expression E>
struct state_update {};
template <class Key, class Width, expression E>
struct initial_definition {};
template <expression E>
struct output_definition {};

// Leaves. [batch, width] where nothing else is said; a Width is a width as a type.

template <class Key, class Width>
struct input_term : term {
    template <expression E>
    constexpr output_definition<E> operator=(E) const {
        static_assert(never<E>, "sluice: the input is given to a step and cannot be defined; "
                                "define a gate, next(state) = ... or output = ...");
        return {};
    }
};

template <class Key, class Width>
struct state_term : term {
    template <expression E>
    constexpr state_update<Key, Width, E> operator=(E) const {
        static_assert(never<E>, "sluice: a state keeps its value within a step; what it is after the step is "
                                "defined by next(state) = ...");
        return {};
    }
};

template <class Key>
struct gate_term : term {
    template <expression E>
    constexpr gate_definition<Key, E> operator=(E) const {
        return {};
    }
};

/// The value of a state after the step: the left side of its update, and an operand anywhere else.
template <class Key, class Width>
struct next_term : term {
    template <expression E>
    constexpr state_update<Key, Width, E> operator=(E) const {
        return {};
    }
};

/// The left side of the line of the output.
struct output_term {
    template <expression E>
    constexpr output_definition<E> operator=(E) const {
        return {};
    }
};

/// What a parameter is.
enum class form : unsigned char {
    scalar, ///< one number
    bias,   ///< a vector added to every row of the batch
    vector, ///< a vector multiplied with every row of the batch: a peephole
    matrix, ///< weights [rows, columns]
};

/// A parameter. With groups a matrix is block-diagonal, [groups, rows / groups, columns / groups].
template <class Key, form Form, class Columns = void, class Groups = void, bool Fixed = false>
struct parameter_term : term {};

/// Whether a term is a parameter that is a vector.
template <class>
inline constexpr bool is_vector_parameter = false;
template <class Key, form Form, class Columns, bool Fixed>
inline constexpr bool is_vector_parameter<parameter_term<Key, Form, Columns, void, Fixed>> =
    Form == form::bias || Form == form::vector;

/// What a derivative can be taken with respect to.
template <class>
inline constexpr bool can_be_varied = false;
template <class Key, class Width>
inline constexpr bool can_be_varied<input_term<Key, Width>> = true;
template <class Key, class Width>
inline constexpr bool can_be_varied<state_term<Key, Width>> = true;
template <class Key, class Width>
inline constexpr bool can_be_varied<next_term<Key, Width>> = true;
template <class Key>
inline constexpr bool can_be_varied<gate_term<Key>> = true;

/// Where a state starts: the left side of a line.
template <class Key, class Width>
struct initial_term {
    template <expression E>
    constexpr initial_definition<Key, Width, E> operator=(E) const {
        static_assert(is_vector_parameter<E>,
                      "sluice: a state starts at a parameter that is a vector, as in initial(h) = "
                      "vector<\"h0\">; bias<> and fixed(vector<>) are others");
        return {};
    }
};

/// A number written in the equation.
template <char... Digits>
struct number_term : term {
    static constexpr char letters[] = {Digits...};
    static constexpr std::string_view literal{letters, sizeof...(Digits)};
};

/// The number that a constant of the program has.
template <auto const& Constant>
struct value_term : term {};

/// F of its operands: a pointwise function, element by element, a reduction over the features, or a scan.
template <class F, expression... E>
struct function_term : term {};

/// Whether a term is a number.
template <class>
inline constexpr bool is_number = false;
template <char... Digits>
inline constexpr bool is_number<number_term<Digits...>> = true;
template <auto const& Constant>
inline constexpr bool is_number<value_term<Constant>> = true;
template <class F, class E>
inline constexpr bool is_number<function_term<F, E>> = is_number<E> && (F::name == "negate");

/// A number that the cell is given when it is made, the same for all features; it is never trained. Default
/// is the number that it is when the cell is given none, or void.
template <class Key, class Default = void>
struct setting_term : term {
    /// `setting<"forget_bias">(1_n)`
    template <class Number>
    constexpr auto operator()(Number) const {
        static_assert(is_number<Number>,
                      "sluice: the default of a setting is a number, such as 1_n or -0.5_n");
        if constexpr (is_number<Number>)
            return setting_term<Key, Number>{};
        else
            return *this;
    }
};

/// F, a reduction, over the features of each of so many groups: each feature is the result of its group.
template <class F, class Groups, expression E>
struct grouped_reduction_term : term {};

/// How many features E has, or each group of them.
template <expression E, class Groups = void>
struct features_term : term {};

/// How a vector stands in a matrix: in each of its columns, or in each of its rows; or how a number of each
/// group stands in a vector, in the place of every feature of the group.
enum class stands : unsigned char { as_column, as_row, in_group };

/// A matrix value that has E in each column or row; in groups, each group its part of E.
template <stands As, class Groups, expression E>
struct standing_term : term {};

/// The gradient of Loss, one number of each row, with respect to Of.
template <expression Loss, expression Of>
struct derivative_term : term {};

/// The transpose of a matrix.
template <expression E>
struct transposed_term : term {};

/// Features side by side.
template <expression... E>
struct concat_term : term {};

/// Features [From, From + Width).
template <class From, class Width, expression E>
struct slice_term : term {};

/// What an input, a state or a gate was some steps ago, and how wide it is.
template <int Steps, expression E, class Width>
struct delay_term : term {};

/// The letters of a number, and room for "_t-" in front of them.
constexpr std::size_t letters_of_delay(int steps) {
    std::size_t count = 4;
    for (; steps >= 10; steps /= 10)
        ++count;
    return count;
}

template <int Steps, char... Letters>
constexpr bool can_be_delayed(boost::hana::string<Letters...>) {
    static_assert(Steps > 0, "sluice: delay<3>(x) goes back by one step or more");
    static_assert(
        sizeof...(Letters) + letters_of_delay(Steps + 1) <= most_letters,
        "sluice: what is delayed has a name too long for those of its states, such as x_t-1; shorten it");
    return true;
}

/// Stands for an operand in the derivative of a function: 0, 1 and so on, and after them the function's
/// value.
template <int Place>
struct operand_term : term {};

/// The derivatives of a function with respect to each of its operands.
template <expression... E>
struct each_term {};

} // namespace sluice::equation
