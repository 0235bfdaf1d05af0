// SPDX-License-Identifier: BSL-1.0
// The lists that a graph holds: its parameters with their shapes, its states, its settings. All are constant
// expressions when the sizes are.
#pragma once

#include <array>
#include <sluice/graph/graph.hpp>

namespace sluice {

/// A parameter: its leaf in the graph, its name and its symbolic shape.
struct parameter_entry {
    int at = -1;
    name called{};
    std::size_t rank = 0; ///< 1 vector, 2 matrix, 3 groups of matrices
    bool is_bias = false;
    width rows{};
    width columns{};

    /// [columns], [rows, columns] or [groups, rows / groups, columns / groups], padded with ones in front.
    constexpr std::array<std::size_t, 3> extents(sizes const& n) const {
        std::size_t const g = rank == 3 ? n.groups : 1;
        return {g, rank == 1 ? 1 : extent(rows, n) / g, extent(columns, n) / g};
    }
    constexpr std::size_t count(sizes const& n) const {
        auto const e = extents(n);
        return e[0] * e[1] * e[2];
    }
};

template <std::size_t N>
constexpr fixed_vector<parameter_entry, N> list_parameters(graph<N> const& g) {
    fixed_vector<parameter_entry, N> list;
    for (int i = 0; i < g.size(); ++i) {
        node const& n = g[i];
        if (is_parameter(n.kind))
            list.push_back({.at = i,
                            .called = g.names[n.index],
                            .rank = n.kind == op::vector ? std::size_t(1)
                                    : n.grouped          ? std::size_t(3)
                                                         : std::size_t(2),
                            .is_bias = n.is_bias,
                            .rows = n.rows,
                            .columns = n.columns});
    }
    return list;
}

/// The width of the input; of equations without one, that of x.
template <std::size_t N>
constexpr width input_width(graph<N> const& g) {
    for (node const& n : g.nodes)
        if (n.kind == op::input)
            return n.columns;
    return symbol::input;
}

/// A setting, and the number that it is when a cell is given none.
struct setting_entry {
    int at = -1;
    name called{};
    bool has_default = false;
    double value = 0;
};

/// The settings, in the order in which the equations first name them.
template <std::size_t N>
constexpr fixed_vector<setting_entry, N> list_settings(graph<N> const& g) {
    fixed_vector<setting_entry, N> list;
    for (int i = 0; i < g.size(); ++i)
        if (g[i].kind == op::setting)
            list.push_back({i, g.names[g[i].index], g[i].has_default, g[i].value});
    return list;
}

/// A state.
struct state_entry {
    int at = -1;
    name called{};
    width columns{};
};

/// The states, in the order of their updates: state k is the next value that is result k + 1.
template <std::size_t N>
constexpr fixed_vector<state_entry, N> list_states(graph<N> const& g) {
    fixed_vector<state_entry, N> list;
    for (definition const& d : g.results)
        for (int i = 0; i < g.size() && d.kind == role::next; ++i)
            if (g[i].kind == op::state && g[i].index == d.called)
                list.push_back({i, g.names[g[i].index], g[i].columns});
    return list;
}

} // namespace sluice
