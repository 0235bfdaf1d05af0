// SPDX-License-Identifier: BSL-1.0
// flatten: from the types of the equations to a graph, in which gates are still references by name, and `*`
// is always elementwise.
#pragma once

#include <sluice/core/decimal.hpp>
#include <sluice/graph/graph.hpp>
#include <sluice/graph/operation.hpp>
#include <type_traits>

namespace sluice {
namespace detail {

using namespace equation;

/// What the default of a setting is.
template <class>
inline constexpr double number_of = 0;
template <char... Digits>
inline constexpr double number_of<number_term<Digits...>> = nearest_double(number_term<Digits...>::literal);
template <char... Digits>
inline constexpr double number_of<function_term<operation::negate, number_term<Digits...>>> =
    -number_of<number_term<Digits...>>;

template <class Operations>
struct flattener {
    graph& g;
    int owner = -1;

    template <class Key, class Width>
    constexpr int operator()(input_term<Key, Width>) const {
        return leaf({.kind = op::input, .shape = batch_of<Width>()}, name_of(Key{}));
    }
    template <class Key, class Width>
    constexpr int operator()(state_term<Key, Width>) const {
        return leaf({.kind = op::state, .shape = batch_of<Width>()}, name_of(Key{}));
    }
    template <class Key>
    constexpr int operator()(gate_term<Key>) const {
        return reference(role::gate, name_of(Key{}));
    }
    template <class Key, class Width>
    constexpr int operator()(next_term<Key, Width>) const {
        return reference(role::next, name_of(Key{}));
    }
    template <class Key, form Form, class Columns, class Groups, bool Fixed>
    constexpr int operator()(parameter_term<Key, Form, Columns, Groups, Fixed>) const {
        node n{.kind = op::parameter, .is_bias = Form == form::bias, .fixed = Fixed};
        if (Form != form::scalar)
            n.shape.columns = axis<Columns>();
        if (Form == form::matrix)
            n.shape.rows = open_axis;
        if (!std::is_void_v<Groups>)
            n.shape.groups = axis<Groups>();
        return leaf(n, name_of(Key{}));
    }
    template <class Key, class Default>
    constexpr int operator()(setting_term<Key, Default>) const {
        return leaf(
            {.kind = op::setting, .has_default = !std::is_void_v<Default>, .value = number_of<Default>},
            name_of(Key{}));
    }
    template <char... Digits>
    constexpr int operator()(number_term<Digits...>) const {
        return number(number_of<number_term<Digits...>>);
    }
    template <char... Digits>
    constexpr int operator()(function_term<operation::negate, number_term<Digits...>>) const {
        return number(-number_of<number_term<Digits...>>);
    }
    template <class F, class... E>
    constexpr int operator()(function_term<F, E...>) const {
        return compound(
            {.kind = reduction<F> ? op::reduce : op::pointwise, .function = Operations::template find<F>()},
            E{}...);
    }
    template <class E>
    constexpr int operator()(features_term<E>) const {
        return compound({.kind = op::features}, E{});
    }
    template <class E>
    constexpr int operator()(transposed_term<E>) const {
        return compound({.kind = op::transpose}, E{});
    }
    template <class... E>
    constexpr int operator()(concat_term<E...>) const {
        return compound({.kind = op::concat}, E{}...);
    }
    template <class From, class Width, class E>
    constexpr int operator()(slice_term<From, Width, E>) const {
        node n{.kind = op::slice};
        n.shape.columns = axis<Width>();
        if (!(From::value == width(std::size_t(0))))
            n.from = axis<From>();
        return compound(n, E{});
    }
    template <int Place>
    constexpr int operator()(operand_term<Place>) const {
        return g.add({.kind = op::input, .order = Place});
    }

    // Lines.

    template <class Key, class E>
    constexpr void line(gate_definition<Key, E>) {
        begin(role::gate, name_of(Key{}));
        finish(E{});
    }
    template <class Key, class Width, class E>
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
    template <class Width>
    constexpr int axis() const {
        if constexpr (std::is_void_v<Width>)
            return open_axis;
        else
            return g.intern(Width::value);
    }
    template <class Width>
    constexpr axes batch_of() const {
        return {.time = true, .row = true, .columns = axis<Width>()};
    }
    constexpr int number(double value) const {
        return g.add({.kind = op::number, .owner = owner, .value = value});
    }
    constexpr int reference(role kind, name const& called) const {
        return g.add({.kind = op::reference,
                      .index = g.intern(called),
                      .order = static_cast<int>(kind),
                      .owner = owner});
    }
    template <class... E>
    constexpr int compound(node n, E... e) const {
        n.owner = owner;
        int const operands[] = {(*this)(e)...};
        return g.add(n, {operands, sizeof...(E)});
    }
    constexpr void begin(role kind, name const& called) {
        owner = g.definitions.push_back({.kind = kind, .called = g.intern(called)});
    }
    template <class E>
    constexpr void finish(E e) {
        int const at = (*this)(e);
        g.definitions[owner].at = at;
    }

    /// A leaf is known by its name; where it stands again, it has to be the same.
    constexpr int leaf(node n, name const& called) const {
        n.index = g.intern(called);
        n.owner = owner;
        int const i = g.add(n);
        axes& there = g.nodes[i].shape;
        auto const refuse = [&](reason why, int left = -1, int right = -1) {
            g.report(
                {why, g.names[g.definitions[owner].called], called, g.width_of(left), g.width_of(right)});
        };
        if (there.is_matrix() != n.shape.is_matrix() || there.has_features() != n.shape.has_features() ||
            there.groups != n.shape.groups)
            refuse(reason::one_name_twice);
        else if (there.columns == open_axis)
            there.columns = n.shape.columns;
        else if (n.shape.columns != open_axis && there.columns != n.shape.columns)
            refuse(n.kind == op::input ? reason::two_inputs : reason::mismatched_widths, there.columns,
                   n.shape.columns);
        return i;
    }
};

} // namespace detail

/// One graph of all lines; gates and next states are references.
template <class Operations, class... Line>
constexpr graph flatten(equation_set<Line...>) {
    graph g;
    g.operations = rows_of(Operations{});
    detail::flattener<Operations> walk{g};
    (walk.line(Line{}), ...);
    return g;
}

} // namespace sluice
