// SPDX-License-Identifier: BSL-1.0
// Writes the derivatives of functions, which are graphs of their own (graph/rules.hpp), into a graph.
#pragma once

#include <sluice/graph/simplify.hpp>

namespace sluice::detail {

struct rule_writer : simplified_graph {
    derivative_rules_table const& rules;

    /// The rule of function f for operand k, with these operands and, after them, the value, and of a scan
    /// its gradient; of a reduction within groups, with reductions within groups.
    constexpr int derivative(int f, int k, list<int> const& known, int groups = no_axis) {
        derivative_rule const& r = rules[f][k];
        list<int> copied(r.rule.size());
        for (int i = 0; i < r.rule.size(); ++i) {
            node n = r.rule[i];
            if (n.kind == op::input) {
                copied[i] = known[n.order];
                continue;
            }
            list<int> from;
            axes shape{};
            for (int o : r.rule.operands_of(i)) {
                from.push_back(copied[o]);
                shape = broadcast(shape, g[copied[o]].shape);
            }
            if (n.kind == op::reduce || n.kind == op::features)
                n.groups = groups;
            if (n.kind == op::reduce && groups != no_axis)
                n.kind = op::reduce_groups;
            if (n.kind == op::reduce)
                shape.columns = no_axis;
            if (n.kind == op::features)
                shape = {};
            if (n.kind == op::scan)
                for (int& o : from)
                    o = full(o, shape);
            n.shape = shape;
            n.owner = -1;
            copied[i] = n.kind == op::pointwise && n.function == f_multiply ? multiply(from[0], from[1])
                                                                            : g.add(n, view<int>(from));
        }
        return copied[r.at];
    }
};

} // namespace sluice::detail
