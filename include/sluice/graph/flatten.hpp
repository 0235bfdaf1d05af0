// SPDX-License-Identifier: BSL-1.0
// flatten: from the types of the equations to a graph, in which gates are still references by name, and `*`
// is always elementwise.
#pragma once

#include <sluice/core/text.hpp>
#include <sluice/graph/graph.hpp>
#include <sluice/graph/operations.hpp>
#include <type_traits>

namespace sluice {
namespace detail {

using namespace equation;

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
    /// Numbers of a matrix value: as a state, but the same in each row.
    template <class Key, class... Widths, bool Fixed>
    constexpr int operator()(parameter_term<Key, form::vector, matrix_width<Widths...>, void, Fixed>) const {
        node n{.kind = op::parameter, .shape = batch_of<matrix_width<Widths...>>(), .fixed = Fixed};
        n.shape.time = n.shape.row = false;
        return leaf(n, name_of(Key{}));
    }
    template <class Key, class Default>
    constexpr int operator()(setting_term<Key, Default>) const {
        return leaf(
            {.kind = op::setting, .has_default = !std::is_void_v<Default>, .value = number_of<Default>},
            name_of(Key{}));
    }
    template <class E>
        requires is_number<E>
    constexpr int operator()(E) const {
        return g.add({.kind = op::number, .owner = owner, .value = number_of<E>});
    }
    template <class F, class... E>
        requires(!is_number<function_term<F, E...>>)
    constexpr int operator()(function_term<F, E...>) const {
        return compound({.kind = kind_of_operation<F>, .function = Operations::template find<F>()}, E{}...);
    }
    template <class F, class Groups, class E>
    constexpr int operator()(grouped_reduction_term<F, Groups, E>) const {
        return compound({.kind = op::reduce_groups,
                         .function = Operations::template find<F>(),
                         .groups = g.intern(Groups::value)},
                        E{});
    }
    template <class E, class Groups>
    constexpr int operator()(features_term<E, Groups>) const {
        node n{.kind = op::features};
        if constexpr (!std::is_void_v<Groups>)
            n.groups = g.intern(Groups::value);
        return compound(n, E{});
    }
    template <stands As, class Groups, class E>
    constexpr int operator()(standing_term<As, Groups, E>) const {
        // What it meets says how wide it is: until the shapes are known each is one of its own.
        node n{.kind = op::repeat, .order = static_cast<int>(As), .value = static_cast<double>(g.size())};
        if constexpr (!std::is_void_v<Groups>)
            n.groups = g.intern(Groups::value);
        return compound(n, E{});
    }
    template <class E>
    constexpr int operator()(transposed_term<E>) const {
        return compound({.kind = op::transpose}, E{});
    }
    template <class Loss, class Of>
    constexpr int operator()(derivative_term<Loss, Of>) const {
        return compound({.kind = op::derivative}, Loss{}, Of{});
    }
    template <class... E>
    constexpr int operator()(concat_term<E...>) const {
        return compound({.kind = op::concat}, E{}...);
    }
    template <class From, class Width, class E>
    constexpr int operator()(slice_term<From, Width, E>) const {
        node n{.kind = op::slice};
        n.shape.columns = axis<Width>();
        if constexpr (!std::is_void_v<From>)
            if (!(From::value == width(std::size_t(0))))
                n.from = axis<From>();
        return compound(n, E{});
    }
    /// A chain of states, of which each becomes what the one before it was: next(x_t-1) = x, next(x_t-2) =
    /// x_t-1.
    template <int Steps, class E, class Width>
    constexpr int operator()(delay_term<Steps, E, Width>) const {
        int value = (*this)(E{});
        for (int step = 1; step <= Steps; ++step) {
            name const called = name_of_delay(E{}, step);
            int const state = leaf({.kind = op::state, .shape = batch_of<Width>()}, called);
            update(called, value);
            value = state;
        }
        return value;
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
    template <class Key, class Width, class E>
    constexpr void line(initial_definition<Key, Width, E>) {
        begin(role::initial, name_of(Key{}));
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
        return batch_of(static_cast<Width*>(nullptr));
    }
    template <class Width>
    constexpr axes batch_of(Width*) const {
        return {.time = true, .row = true, .columns = axis<Width>()};
    }
    template <class Rows, class Columns, class Groups>
    constexpr axes batch_of(matrix_width<Rows, Columns, Groups>*) const {
        axes made{
            .time = true, .row = true, .columns = axis<Columns>(), .rows = axis<Rows>(), .is_value = true};
        if constexpr (!std::is_void_v<Groups>)
            made.groups = axis<Groups>();
        return made;
    }
    constexpr int reference(role kind, name const& called) const {
        return g.add({.kind = op::reference,
                      .index = g.intern(called),
                      .order = static_cast<int>(kind),
                      .owner = owner});
    }
    template <template <class...> class Term, class Key, class... Width>
    static constexpr name name_of_delay(Term<Key, Width...> delayed, int step) {
        text spelled;
        spelled << name_of(Key{}).view() << "_t-" << step + is_state(delayed);
        return name(std::string_view(spelled));
    }
    template <class E>
    static constexpr bool is_state(E) {
        return false;
    }
    template <class Key, class Width>
    static constexpr bool is_state(state_term<Key, Width>) {
        return true;
    }
    /// A line next(called) = ..., once.
    constexpr void update(name const& called, int at) const {
        int const of = g.intern(called);
        for (definition const& d : g.definitions)
            if (d.kind == role::next && d.called == of && d.at == at)
                return;
        g.definitions.push_back({.kind = role::next, .called = of, .at = at, .is_delay = true});
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
            there.groups != n.shape.groups || there.is_value != n.shape.is_value)
            refuse(reason::one_name_twice);
        else if (there.columns == open_axis)
            there.columns = n.shape.columns;
        else if (n.shape.columns != open_axis && there.columns != n.shape.columns)
            refuse(n.kind == op::input ? reason::two_inputs : reason::mismatched_widths, there.columns,
                   n.shape.columns);
        else if (there.is_value && there.rows != n.shape.rows)
            refuse(reason::mismatched_widths, there.rows, n.shape.rows);
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
