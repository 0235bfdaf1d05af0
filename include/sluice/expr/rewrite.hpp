// SPDX-License-Identifier: BSL-1.0
// Equations made from other equations: a rule says what becomes of some terms, and every other term stays
// what it is, with its operands rewritten.
//
//   struct without_tanh {
//       template <class E>
//       static constexpr auto made(equation::function_term<activation::tanh, E>) {
//           return rewriting::rewrite<without_tanh>(E{});
//       }
//   };
//   rewriting::rewrite<without_tanh>(lines(...))
//
// A rule sees a term before its operands, and rewrites them itself where it wants them rewritten. Names are
// not looked into: a gate's line is rewritten where it stands.
#pragma once

#include <sluice/expr/equations.hpp>
#include <type_traits>
#include <utility>

namespace sluice::rewriting {

using namespace equation;

template <class Rule>
struct rewriter {
    template <class E>
    constexpr auto operator()(E e) const {
        if constexpr (requires { Rule::made(e); })
            return Rule::made(e);
        else
            return parts(e);
    }

    template <class Key, class E>
    constexpr auto line(gate_definition<Key, E>) const {
        return gate_definition<Key, made<E>>{};
    }
    template <class Key, class Width, class E>
    constexpr auto line(state_update<Key, Width, E>) const {
        return state_update<Key, Width, made<E>>{};
    }
    template <class Key, class Width, class E>
    constexpr auto line(initial_definition<Key, Width, E>) const {
        return initial_definition<Key, Width, made<E>>{};
    }
    template <class E>
    constexpr auto line(output_definition<E>) const {
        return output_definition<made<E>>{};
    }

private:
    template <class E>
    using made = decltype(std::declval<rewriter const&>()(E{}));

    template <class E>
    constexpr E parts(E leaf) const {
        return leaf;
    }
    template <class F, class... E>
    constexpr auto parts(function_term<F, E...>) const {
        return function_term<F, made<E>...>{};
    }
    template <class F, class Groups, class E>
    constexpr auto parts(grouped_reduction_term<F, Groups, E>) const {
        return grouped_reduction_term<F, Groups, made<E>>{};
    }
    template <class E, class Groups>
    constexpr auto parts(features_term<E, Groups>) const {
        return features_term<made<E>, Groups>{};
    }
    template <class E>
    constexpr auto parts(transposed_term<E>) const {
        return transposed_term<made<E>>{};
    }
    template <class Loss, class Of>
    constexpr auto parts(derivative_term<Loss, Of>) const {
        return derivative_term<made<Loss>, made<Of>>{};
    }
    template <class... E>
    constexpr auto parts(concat_term<E...>) const {
        return concat_term<made<E>...>{};
    }
    template <class From, class Width, class E>
    constexpr auto parts(slice_term<From, Width, E>) const {
        return slice_term<From, Width, made<E>>{};
    }
    template <stands As, class Groups, class E>
    constexpr auto parts(standing_term<As, Groups, E>) const {
        return standing_term<As, Groups, made<E>>{};
    }
};

template <class Rule, expression E>
constexpr auto rewrite(E e) {
    return rewriter<Rule>{}(e);
}
template <class Rule, line Line>
constexpr auto rewrite(Line one) {
    return rewriter<Rule>{}.line(one);
}
template <class Rule, class... Line>
constexpr auto rewrite(equation_set<Line...>) {
    return equation_set<decltype(rewrite<Rule>(Line{}))...>{};
}

template <class Term>
struct zero_for {
    static constexpr number_term<'0'> made(Term) { return {}; }
};

/// Whether a term stands anywhere in these lines.
template <class Term, class... Line>
constexpr bool contains(equation_set<Line...> lines) {
    return !std::is_same_v<decltype(rewrite<zero_for<Term>>(lines)), equation_set<Line...>>;
}

/// What the first line of a gate says that it is; void of a gate without one.
template <class Key, class Lines>
struct definition_of {
    using type = void;
};
template <class Key, class E, class... More>
struct definition_of<Key, equation_set<gate_definition<Key, E>, More...>> {
    using type = E;
};
template <class Key, class First, class... More>
struct definition_of<Key, equation_set<First, More...>> : definition_of<Key, equation_set<More...>> {};

template <class... Line>
constexpr int count_of_lines(equation_set<Line...>) {
    return static_cast<int>(sizeof...(Line));
}

/// What a term is, in equations with these lines. As many gates in a row are looked into as there are lines,
/// so that a circle of gates ends.
template <class Lines, int Gates = count_of_lines(Lines{})>
struct reader {
    /// Whether it is one number, the same for all rows and features.
    template <class E>
    static constexpr bool is_scalar(E) {
        return is_number<E>;
    }
    template <class Key, class Default>
    static constexpr bool is_scalar(setting_term<Key, Default>) {
        return true;
    }
    template <class E, class Groups>
    static constexpr bool is_scalar(features_term<E, Groups>) {
        return true;
    }
    template <class Key, form Form, class Columns, class Groups, bool Fixed>
    static constexpr bool is_scalar(parameter_term<Key, Form, Columns, Groups, Fixed>) {
        return Form == form::scalar;
    }
    template <class F, class... E>
    static constexpr bool is_scalar(function_term<F, E...>) {
        return (is_scalar(E{}) && ...);
    }
    template <class Key>
    static constexpr bool is_scalar(gate_term<Key>) {
        return of_gate<Key>([](auto next, auto e) { return next.is_scalar(e); });
    }

    template <class E>
    static constexpr bool is_matrix(E) {
        return false;
    }
    template <class Key, form Form, class Columns, class Groups, bool Fixed>
    static constexpr bool is_matrix(parameter_term<Key, Form, Columns, Groups, Fixed>) {
        return Form == form::matrix;
    }
    template <class E>
    static constexpr bool is_matrix(transposed_term<E>) {
        return is_matrix(E{});
    }
    template <class F, class... E>
    static constexpr bool is_matrix(function_term<F, E...>) {
        return is_sum<F> && (is_matrix(E{}) || ...);
    }
    template <class L, class R>
    static constexpr bool is_matrix(function_term<operation::multiply, L, R>) {
        return is_matrix(L{}) || (is_matrix(R{}) && is_scalar(L{}));
    }
    template <class Key>
    static constexpr bool is_matrix(gate_term<Key>) {
        return of_gate<Key>([](auto next, auto e) { return next.is_matrix(e); });
    }

    /// Whether L * R is a product with a matrix, and not element by element.
    template <class L, class R>
    static constexpr bool is_product(L, R) {
        return is_matrix(R{}) && !is_matrix(L{}) && !is_scalar(L{});
    }

    /// Whether a state is a part of it as it is, or times something, but within no function or product.
    template <class E>
    static constexpr bool has_state(E) {
        return false;
    }
    template <class Key, class Width>
    static constexpr bool has_state(state_term<Key, Width>) {
        return true;
    }
    template <class F, class... E>
    static constexpr bool has_state(function_term<F, E...>) {
        return is_sum<F> && (has_state(E{}) || ...);
    }
    template <class L, class R>
    static constexpr bool has_state(function_term<operation::multiply, L, R>) {
        return !is_product(L{}, R{}) && (has_state(L{}) || has_state(R{}));
    }
    template <class L, class R>
    static constexpr bool has_state(function_term<operation::divide, L, R>) {
        return has_state(L{});
    }
    template <class... E>
    static constexpr bool has_state(concat_term<E...>) {
        return (has_state(E{}) || ...);
    }
    template <class From, class Width, class E>
    static constexpr bool has_state(slice_term<From, Width, E>) {
        return has_state(E{});
    }
    template <stands As, class Groups, class E>
    static constexpr bool has_state(standing_term<As, Groups, E>) {
        return has_state(E{});
    }
    template <class Key>
    static constexpr bool has_state(gate_term<Key>) {
        return of_gate<Key>([](auto next, auto e) { return next.has_state(e); });
    }

private:
    template <class F>
    static constexpr bool is_sum =
        std::is_same_v<F, operation::add> || std::is_same_v<F, operation::subtract> ||
        std::is_same_v<F, operation::negate>;

    /// What `ask` says of the gate's definition; false of a gate that has none.
    template <class Key, class Ask>
    static constexpr bool of_gate(Ask) {
        using definition = typename definition_of<Key, Lines>::type;
        if constexpr (Gates > 0 && !std::is_void_v<definition>) {
            constexpr bool answer = Ask{}(reader<Lines, Gates - 1>{}, definition{}); // once for each gate
            return answer;
        } else
            return false;
    }
};

} // namespace sluice::rewriting
