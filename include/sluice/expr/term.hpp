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

struct term {};

template <class E>
concept expression = std::derived_from<E, term>;

// What a line of a cell becomes.
template <class Key, expression E>
struct gate_definition {};
template <class Key, width Width, expression E>
struct state_update {};
template <expression E>
struct output_definition {};

// Leaves. [batch, width] where nothing else is said.

template <width Width>
struct input_term : term {
    template <expression E>
    constexpr output_definition<E> operator=(E) const {
        static_assert(never<E>, "sluice: the input is given to a step and cannot be defined; "
                                "define a gate, next(state) = ... or output = ...");
        return {};
    }
};

template <class Key, width Width>
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
template <class Key, width Width>
struct next_term : term {
    template <expression E>
    constexpr state_update<Key, Width, E> operator=(E) const {
        return {};
    }
};

struct output_term {
    template <expression E>
    constexpr output_definition<E> operator=(E) const {
        return {};
    }
};

/// A weight matrix [rows, columns]; with groups, block-diagonal: [groups, rows / groups, columns / groups].
template <class Key, width Columns, bool Grouped>
struct matrix_term : term {};

/// A vector added to every row of the batch.
template <class Key>
struct bias_term : term {};

/// A vector multiplied with every row of the batch: a peephole.
template <class Key>
struct vector_term : term {};

/// A number written in the equation.
template <char... Digits>
struct number_term : term {
    static constexpr char letters[] = {Digits...};
    static constexpr std::string_view literal{letters, sizeof...(Digits)};
};

/// -z
template <expression E>
struct negative_term : term {};

template <class>
inline constexpr bool is_number = false;
template <char... Digits>
inline constexpr bool is_number<number_term<Digits...>> = true;
template <char... Digits>
inline constexpr bool is_number<negative_term<number_term<Digits...>>> = true;

/// A number that the cell is given when it is made, the same for all features; it is never trained. Default is
/// the number that it is when the cell is given none, or void.
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

// Operations.

enum class operation : unsigned char { add, subtract, multiply };

/// `+`, `-`, and `*`: elementwise, or a product where the right side is a matrix.
template <operation Op, expression L, expression R>
struct binary_term : term {};

/// f(z), elementwise.
template <class Activation, expression E>
struct applied_term : term {};

} // namespace sluice::equation
