// SPDX-License-Identifier: BSL-1.0
// flatten: from the types of the equations to a graph, in which gates are still references by name.
#pragma once

#include <algorithm>
#include <sluice/core/decimal.hpp>
#include <sluice/graph/activations.hpp>
#include <sluice/graph/graph.hpp>

namespace sluice {
namespace detail {

using namespace equation;

template <class List, class Graph>
struct flattener {
    Graph& g;
    int owner = -1;

    constexpr int leaf(op kind, shape form, name n) const {
        return g.add({.kind = kind, .form = form, .index = g.intern(n), .owner = owner});
    }

    template <width Width>
    constexpr int operator()(input_term<Width>) const {
        node const n{
            .kind = op::input, .index = g.intern(std::string_view("x")), .owner = owner, .columns = Width};
        int const i = g.add(n);
        if (g[i].columns != Width)
            g.report({reason::two_inputs, g.owner(i), std::string_view("x"), g[i].columns, Width});
        return i;
    }
    template <class Key, width Width>
    constexpr int operator()(state_term<Key, Width>) const {
        int const i = leaf(op::state, shape::batch, name_of(Key{}));
        declare_width(i, Width);
        return i;
    }
    template <class Key>
    constexpr int operator()(gate_term<Key>) const {
        return reference(role::gate, name_of(Key{}));
    }
    template <class Key, width Width>
    constexpr int operator()(next_term<Key, Width>) const {
        return reference(role::next, name_of(Key{}));
    }
    template <class Key, width Columns, bool Grouped>
    constexpr int operator()(matrix_term<Key, Columns, Grouped>) const {
        int const i = g.add({.kind = op::matrix,
                             .form = shape::matrix,
                             .index = g.intern(name_of(Key{})),
                             .owner = owner,
                             .grouped = Grouped});
        declare_width(i, Columns);
        return i;
    }
    template <class Key>
    constexpr int operator()(bias_term<Key>) const {
        return g.add({.kind = op::vector,
                      .form = shape::vector,
                      .index = g.intern(name_of(Key{})),
                      .owner = owner,
                      .is_bias = true});
    }
    template <class Key>
    constexpr int operator()(vector_term<Key>) const {
        return leaf(op::vector, shape::vector, name_of(Key{}));
    }
    template <class Key, class Default>
    constexpr int operator()(setting_term<Key, Default>) const {
        return g.add({.kind = op::setting,
                      .form = shape::scalar,
                      .index = g.intern(name_of(Key{})),
                      .owner = owner,
                      .has_default = !std::is_void_v<Default>,
                      .value = number(std::type_identity<Default>{})});
    }
    template <char... Digits>
    constexpr int operator()(number_term<Digits...>) const {
        return g.add({.kind = op::number,
                      .form = shape::scalar,
                      .owner = owner,
                      .value = number(std::type_identity<number_term<Digits...>>{})});
    }
    template <operation Op, class L, class R>
    constexpr int operator()(binary_term<Op, L, R>) const {
        int const a = (*this)(L{});
        int const b = (*this)(R{});
        op const kind = Op == operation::add         ? op::add
                        : Op == operation::subtract  ? op::subtract
                        : g[b].form == shape::matrix ? op::product
                                                     : op::multiply;
        return g.add({.kind = kind, .a = a, .b = b, .owner = owner});
    }
    template <class E>
    constexpr int operator()(negative_term<E>) const {
        return g.add({.kind = op::negate, .a = (*this)(E{}), .owner = owner});
    }
    template <class F, class E>
    constexpr int operator()(applied_term<F, E>) const {
        int const a = (*this)(E{});
        return g.add({.kind = op::apply, .a = a, .index = List::template find<F>(), .owner = owner});
    }
    template <int Place>
    constexpr int operator()(placeholder<Place>) const {
        return g.add({.kind = op::input, .order = Place});
    }

    // Lines.

    template <class Key, class E>
    constexpr void line(gate_definition<Key, E>) {
        begin(role::gate, name_of(Key{}));
        finish(E{});
    }
    template <class Key, width Width, class E>
    constexpr void line(state_update<Key, Width, E>) {
        begin(role::next, name_of(Key{}));
        (*this)(state_term<Key, Width>{});
        finish(E{});
    }
    template <class E>
    constexpr void line(output_definition<E>) {
        begin(role::output, std::string_view("output"));
        finish(E{});
    }

private:
    static constexpr double number(std::type_identity<void>) { return 0; }
    template <char... Digits>
    static constexpr double number(std::type_identity<number_term<Digits...>>) {
        return nearest_double(number_term<Digits...>::literal);
    }
    template <class E>
    static constexpr double number(std::type_identity<negative_term<E>>) {
        return -number(std::type_identity<E>{});
    }
    constexpr int reference(role kind, name n) const {
        return g.add(
            {.kind = op::reference, .index = g.intern(n), .order = static_cast<int>(kind), .owner = owner});
    }
    constexpr void declare_width(int i, width w) const {
        width& there = g.nodes[i].columns;
        if (there == width{})
            there = w;
        else if (w != width{} && there != w)
            g.report({reason::mismatched_widths, g.owner(i), g.names[g[i].index], there, w});
    }
    constexpr void begin(role kind, name n) {
        owner = g.definitions.push_back({.kind = kind, .called = g.intern(n)});
    }
    template <class E>
    constexpr void finish(E e) {
        int const at = (*this)(e);
        g.definitions[owner].at = at;
    }
};

/// How many nodes, names or lines the equations can have at the most: one for every term and every line.
template <class T>
inline constexpr std::size_t terms = 1;
template <operation Op, class L, class R>
inline constexpr std::size_t terms<binary_term<Op, L, R>> = terms<L> + terms<R> + 1;
template <class E>
inline constexpr std::size_t terms<negative_term<E>> = terms<E> + 1;
template <class F, class E>
inline constexpr std::size_t terms<applied_term<F, E>> = terms<E> + 1;
template <class Key, class E>
inline constexpr std::size_t terms<gate_definition<Key, E>> = terms<E> + 1;
template <class Key, width Width, class E>
inline constexpr std::size_t terms<state_update<Key, Width, E>> = terms<E> + 1;
template <class E>
inline constexpr std::size_t terms<output_definition<E>> = terms<E> + 1;
template <class... Line>
inline constexpr std::size_t terms<equation_set<Line...>> = (terms<Line> + ... + 1);

} // namespace detail

/// One graph of all lines; gates and next states are references.
template <class... Line>
constexpr auto flatten(equation_set<Line...>) {
    using set = equation_set<Line...>;
    graph<detail::terms<set>> g;
    detail::flattener<activations_of<set>, decltype(g)> walk{g};
    (walk.line(Line{}), ...);
    return g;
}

/// A derivative y' = f(z, y) as a graph: input number 0 is z, input number 1 is y; the result is the last
/// definition.
template <std::size_t N>
struct derivative_rule {
    graph<N> rule{};
    int at = -1;
};

/// The derivatives of a list of activations, in its order.
template <class... F>
constexpr auto derivative_rules(activation_list<F...>) {
    constexpr std::size_t most = std::max({std::size_t(1), detail::terms<detail::derivative_of<F>>...});
    fixed_vector<derivative_rule<most>, sizeof...(F)> rules;
    [[maybe_unused]] auto const add = [&](auto activation) {
        derivative_rule<most> next;
        detail::flattener<activation_list<F...>, decltype(next.rule)> walk{next.rule};
        next.at = walk(detail::derivative_of<decltype(activation)>{});
        rules.push_back(next);
    };
    (add(F{}), ...);
    return rules;
}

} // namespace sluice
