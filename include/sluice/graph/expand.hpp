// SPDX-License-Identifier: BSL-1.0
// expand: derivatives that equations ask for become what they are made of, by the rules of differentiate. Of
//
//   l = sum(square(k S - v))       d(l)/d(S)  becomes  column(k) . row(2 (k S - v))
//
// A gradient of the graph is then by itself that of the derivative: a second one. Derivatives within a loss
// are expanded first. The loss itself stays in the graph, where nothing may read it any more.
#pragma once

#include <sluice/graph/differentiate.hpp>
#include <sluice/graph/shaped_graph.hpp>

namespace sluice {

/// Whether equations have a derivative, which `expand` replaces by its graph.
constexpr bool has_derivative(graph_view g) {
    for (node const& n : g.nodes)
        if (n.kind == op::derivative)
            return true;
    return false;
}

namespace detail {

struct derivative_writer : differentiator {
    constexpr derivative_writer(graph_view from, derivative_rules_table const& of_functions)
        : differentiator(from, of_functions, {}) {}

    /// The gradient of node `loss`, a number of each row or of each of its groups, with respect to node `of`.
    constexpr int write(int loss, int of, int owner) {
        for (int i = 0; i < given; ++i) {
            active[i] = i == of;
            for (int o : g.operands_of(i))
                active[i] = active[i] || (active[o] && g[i].kind != op::features);
        }
        axes const shape = g[loss].shape;
        contribute(shape.has_features() && loss != of ? g.operand(loss) : loss, number(1), shape);
        for (int i = loss; i > of; --i)
            if (active[i] && is_complete(i))
                pull_back(i);
        axes of_value = g[of].shape;
        of_value.time = of_value.time || shape.time;
        int const at = is_complete(of) ? gradients[of] : number(0);
        int const whole = g[at].shape == of_value ? at : g.add({.kind = op::spread, .shape = of_value}, {at});
        for (int i = given; i < g.size(); ++i)
            g.nodes[i].owner = owner;
        return whole;
    }
};

} // namespace detail

/// The graph without derivatives.
constexpr shaped_graph expand(shaped_view const& written, derivative_rules_table const& rules) {
    graph_view const from = written.shaped;
    shaped_graph result(from);
    result.constraints = written.constraints;
    graph& g = result.shaped;
    detail::replace_nodes(g, {});
    list<int> built;
    for (int i = 0; i < from.size(); ++i) {
        list<int> operands;
        for (int o : from.operands_of(i))
            operands.push_back(built[o]);
        if (from[i].kind == op::derivative) {
            detail::derivative_writer writer(g.seen(), rules);
            built.push_back(writer.write(operands[0], operands[1], from[i].owner));
            detail::replace_nodes(g, writer.g);
            g.widths = writer.g.widths;
            g.parts = writer.g.parts;
        } else
            built.push_back(g.add(from[i], view<int>(operands)));
    }
    for (definition& d : g.definitions)
        d.at = d.at < 0 ? -1 : built[d.at];
    for (definition& d : g.results)
        d.at = built[d.at];
    detail::rebuild(g);
    return result;
}

} // namespace sluice
