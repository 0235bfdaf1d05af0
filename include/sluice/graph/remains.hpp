// SPDX-License-Identifier: BSL-1.0
// What remains of equations that are refused, so that no second error follows the first: every input, state,
// parameter and setting keeps its name, next(state) = state, and output = the first input.
#pragma once

#include <sluice/graph/shape.hpp>

namespace sluice {
namespace detail {

/// A leaf of the equations with its own shape. A width that the equations leave open becomes `units`.
constexpr node remaining_leaf(graph& g, node leaf) {
    int& columns = leaf.shape.columns;
    int& rows = leaf.shape.rows;
    for (int* axis : {&columns, &rows})
        if (*axis == open_axis)
            *axis = g.intern(width(symbol::units));
    leaf.shape = laid_out(g, leaf.shape);
    leaf.owner = -1;
    return leaf;
}

} // namespace detail

/// What remains of the graph of the lines, with the problem for which they are refused.
constexpr shaped_graph remains_of(graph_view const& lines, problem const& trouble) {
    shaped_graph result{graph_view(trouble)};
    graph& g = result.shaped;
    g.names = lines.names;
    g.widths = lines.widths;
    g.operations = lines.operations;
    int input = -1;
    g.results.push_back({.kind = role::output, .called = g.intern(name(std::string_view("output")))});
    list<bool> is_there(g.names.size());
    for (node const& n : lines.nodes) {
        if (!is_leaf(n.kind) || n.index < 0 || is_there[n.index])
            continue; // a name that stands for two things is the first of them
        is_there[n.index] = true;
        int const at = g.add(detail::remaining_leaf(g, n));
        if (n.kind == op::input && input < 0)
            input = at;
        if (n.kind == op::state)
            g.results.push_back({.kind = role::next, .called = n.index, .at = at});
    }
    if (input < 0) {
        axes const row{.time = true, .row = true, .columns = g.intern(width(symbol::input))};
        input = g.add({.kind = op::input, .shape = row, .index = g.intern(name(std::string_view("x")))});
    }
    g.results[0].at = input;
    return result;
}

} // namespace sluice
