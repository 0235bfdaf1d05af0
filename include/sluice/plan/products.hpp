// SPDX-License-Identifier: BSL-1.0
// products: what the products of a graph multiply with. It is known before there is a plan: an engine packs
// the matrices of a page without one, so that a program that only learns makes no plan of inference.
#pragma once

#include <sluice/graph/phases.hpp>
#include <sluice/plan/plan.hpp>

namespace sluice {

/// Writes down the right side of a product: a part of a weight, or its transpose.
constexpr void find_weight(graph_view g, task& product) {
    int i = g.operand(product.node, 1);
    product.columns = g[product.node].shape.columns;
    if (g[i].kind == op::transpose) {
        product.transposed = true;
        i = g.operand(i);
    }
    if (g[i].kind == op::slice) {
        product.from = g[i].from;
        product.columns = g[i].shape.columns;
        i = g.operand(i);
    } else
        product.columns = g[i].shape.columns;
    product.weight = i;
}

/// The products of every forward plan of a graph, and what each multiplies with; nothing else of the tasks is
/// known.
constexpr list<task> forward_products(graph_view g) {
    sweep const s = forward_sweep(g);
    detail::phase_finder finder(s);
    finder.find_live();
    list<task> found;
    for (int i = 0; i < g.size(); ++i)
        if (g[i].kind == op::product && finder.m.live[i]) {
            task t{.kind = task_kind::product, .node = i};
            find_weight(g, t);
            found.push_back(t);
        }
    return found;
}

} // namespace sluice
