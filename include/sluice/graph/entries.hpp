// SPDX-License-Identifier: BSL-1.0
// The lists that a graph holds: its parameters with their shapes and their parts in the equations, its
// inputs, its states, its settings. All are constant expressions when the sizes are. An entry looks into its
// graph, which has to stay where it is.
#pragma once

#include <array>
#include <sluice/expr/page.hpp>
#include <sluice/graph/graph.hpp>
#include <sluice/graph/operations.hpp>

namespace sluice {

/// A width of a graph: a symbol, a number, or a sum of them.
struct graph_width {
    basic_widths<view> const* of = nullptr;
    int at = no_axis;

    /// The symbol or number; of a sum, and of what has no features, none.
    constexpr width word() const { return at < 0 ? width{} : of->width_of(at); }
    friend constexpr std::size_t extent(graph_width const& w, sizes const& n) {
        return w.at < 0 ? 1 : w.of->extent(w.at, n);
    }
    friend constexpr bool operator==(graph_width const& a, width const& b) { return a.word() == b; }
};

/// A parameter: its leaf in the graph, and its symbolic shape.
struct parameter_entry : parameter_role {
    int at = -1;
    graph_width rows{};
    graph_width columns{};
    graph_width groups{};

    /// [], [columns], [rows, columns] or [groups, rows / groups, columns / groups], padded with ones in
    /// front.
    constexpr std::array<std::size_t, 3> extents(sizes const& n) const {
        std::size_t const g = extent(groups, n);
        return {g, extent(rows, n) / g, extent(columns, n) / g};
    }
    constexpr std::size_t count(sizes const& n) const {
        auto const e = extents(n);
        return e[0] * e[1] * e[2];
    }
};

/// An input, in the order in which the equations first name them.
struct input_entry {
    int at = -1;
    name called{};
    graph_width columns{};
};

/// A setting, and the number that it is when a cell is given none.
struct setting_entry {
    int at = -1;
    name called{};
    bool has_default = false;
    double value = 0;
};

/// A state.
struct state_entry {
    int at = -1;
    name called{};
    graph_width columns{};
    int starts_at = -1; ///< the number of that parameter, or -1 for zeros
};

namespace detail {

/// For every node what it is as the other side of a product.
constexpr list<source> sources(graph_view const& g) {
    list<source> result;
    result.reserve(g.size());
    for (int i = 0; i < g.size(); ++i) {
        node const& n = g[i];
        source s = n.kind == op::input   ? source::input
                   : n.kind == op::state ? source::state
                                         : source::nothing;
        bool const is_factor = g.is(i, f_multiply);
        for (int o : g.operands_of(i)) {
            source const of = result[o];
            if (is_factor && (s == source::state || of == source::state))
                s = source::state;
            else if (is_factor && (s == source::input || of == source::input))
                s = source::input;
            else if (s == source::nothing || s == of)
                s = of;
            else if (of != source::nothing)
                s = source::gate;
        }
        bool const same_values = is_leaf(n.kind) || n.kind == op::slice || n.kind == op::concat ||
                                 n.kind == op::spread || is_factor || g.is(i, f_negate) || g.is(i, f_copy);
        result.push_back(same_values || !n.shape.row ? s : source::gate);
    }
    return result;
}

/// For every node what it is a factor of, in the first product that has it.
constexpr list<source> factors(graph_view const& g) {
    list<source> const side = sources(g);
    list<source> result(g.size(), source::nothing);
    auto const give = [&](int to, source s) {
        if (result[to] == source::nothing)
            result[to] = s;
    };
    for (int i = 0; i < g.size(); ++i)
        if (g[i].kind == op::product)
            give(g.operand(i, 1), side[g.operand(i)]);
        else if (g.is(i, f_multiply) && !g.is_matrix(i)) {
            give(g.operand(i, 0), side[g.operand(i, 1)]);
            give(g.operand(i, 1), side[g.operand(i, 0)]);
        }
    for (int i = g.size() - 1; i >= 0; --i) // matrices that others are made of
        if (g.is_matrix(i))
            for (int o : g.operands_of(i))
                if (g.is_matrix(o))
                    give(o, result[i]);
    return result;
}

/// The node of the parameter at which a state starts, or -1.
constexpr int initial_of(graph_view const& g, int state) {
    for (definition const& d : g.definitions)
        if (d.kind == role::initial && d.called == g[state].index)
            return d.at;
    return -1;
}

/// The place of a node in the list of parameters, or -1.
constexpr int number_of_parameter(graph_view const& g, int at) {
    int number = 0;
    for (int i = 0; i < at; ++i)
        number += g[i].kind == op::parameter;
    return at < 0 ? -1 : number;
}

/// Parameters at which states start, and which are read by nothing else.
constexpr list<bool> only_initial(graph_view const& g) {
    list<bool> result(g.size());
    for (definition const& d : g.definitions)
        if (d.kind == role::initial)
            result[d.at] = true;
    for (int i = 0; i < g.size(); ++i)
        for (int o : g.operands_of(i))
            result[o] = false;
    return result;
}

} // namespace detail

/// The parameters of a graph.
constexpr list<parameter_entry> list_parameters(graph_view const& g) {
    list<parameter_entry> result;
    list<source> const factor = detail::factors(g);
    list<bool> const is_initial = detail::only_initial(g);
    for (int i = 0; i < g.size(); ++i) {
        node const& n = g[i];
        if (n.kind != op::parameter)
            continue;
        parameter_entry entry;
        entry.at = i;
        entry.called = g.names[n.index];
        entry.rank = n.shape.groups != no_axis ? 3u
                     : n.shape.is_matrix()     ? 2u
                     : n.shape.has_features()  ? 1u
                                               : 0u;
        entry.is_bias = n.is_bias;
        entry.trained = !n.fixed;
        entry.is_initial = is_initial[i];
        entry.multiplies = factor[i];
        entry.gate = g.owner(i);
        entry.rows = {&g, n.shape.rows};
        entry.columns = {&g, n.shape.columns};
        entry.groups = {&g, n.shape.groups};
        result.push_back(entry);
    }
    return result;
}

/// The inputs of a graph.
constexpr list<input_entry> list_inputs(graph_view const& g) {
    list<input_entry> result;
    for (int i = 0; i < g.size(); ++i)
        if (g[i].kind == op::input)
            result.push_back({i, g.names[g[i].index], {&g, g[i].shape.columns}});
    return result;
}

/// The settings, in the order in which the equations first name them.
constexpr list<setting_entry> list_settings(graph_view const& g) {
    list<setting_entry> result;
    for (int i = 0; i < g.size(); ++i)
        if (g[i].kind == op::setting)
            result.push_back({i, g.names[g[i].index], g[i].has_default, g[i].value});
    return result;
}

/// The states, in the order of their updates: state k is the next value that is result k + 1.
constexpr list<state_entry> list_states(graph_view const& g) {
    list<state_entry> result;
    for (definition const& d : g.results)
        for (int i = 0; d.kind == role::next && i < g.size() && is_leaf(g[i].kind); ++i)
            if (g[i].kind == op::state && g[i].index == d.called)
                result.push_back({i,
                                  g.names[g[i].index],
                                  {&g, g[i].shape.columns},
                                  detail::number_of_parameter(g, detail::initial_of(g, i))});
    return result;
}

/// All lists of a graph, and the width of its output.
template <template <class> class List>
struct basic_entries {
    using view_type = basic_entries<view>;

    List<parameter_entry> parameters{};
    List<input_entry> inputs{};
    List<state_entry> states{};
    List<setting_entry> settings{};
    graph_width output{};

    constexpr basic_entries() = default;
    constexpr explicit basic_entries(graph_width const& of_output) : output(of_output) {}
    template <class F>
    constexpr decltype(auto) lists(F&& f) {
        return f(parameters, inputs, states, settings);
    }
    constexpr graph_width facts() const { return output; }
};

/// All lists of a graph.
constexpr basic_entries<list> list_entries(graph_view const& g) {
    basic_entries<list> entries({&g, g[g.results[0].at].shape.columns});
    entries.parameters = list_parameters(g);
    entries.inputs = list_inputs(g);
    entries.states = list_states(g);
    entries.settings = list_settings(g);
    return entries;
}

/// The nodes of a graph that the entries of these lists are, in their order, and what becomes of the states.
/// A pass that keeps the order of the leaves keeps these lists.
template <template <class> class List>
struct basic_leaves {
    using view_type = basic_leaves<view>;

    List<int> inputs{}, parameters{}, settings{}, states{};
    List<int> next{}; ///< of each state: the node of its next value
    int output = -1;

    constexpr basic_leaves() = default;
    constexpr explicit basic_leaves(int of_output) : output(of_output) {}
    template <class F>
    constexpr decltype(auto) lists(F&& f) {
        return f(inputs, parameters, settings, states, next);
    }
    constexpr int facts() const { return output; }
};

/// The leaves of a graph, in the order of its lists.
constexpr basic_leaves<list> list_leaves(graph_view const& g) {
    basic_leaves<list> leaves(g.results[0].at);
    for (int i = 0; i < g.size(); ++i)
        if (g[i].kind == op::input)
            leaves.inputs.push_back(i);
        else if (g[i].kind == op::parameter)
            leaves.parameters.push_back(i);
        else if (g[i].kind == op::setting)
            leaves.settings.push_back(i);
    for (definition const& d : g.results)
        for (int i = 0; d.kind == role::next && i < g.size() && is_leaf(g[i].kind); ++i)
            if (g[i].kind == op::state && g[i].index == d.called) {
                leaves.states.push_back(i);
                leaves.next.push_back(d.at);
            }
    return leaves;
}

} // namespace sluice
