// SPDX-License-Identifier: BSL-1.0
// A graph whose nodes are made simpler as they are added, where that costs nothing:
//
//   1 a = a      0 a = 0      a + (-b) = a - b      -(-a) = a      (M^T)^T = M
//   columns of [a b] that are b = b
#pragma once

#include <sluice/graph/operations.hpp>
#include <utility>

namespace sluice::detail {

struct simplified_graph {
    graph g;

    constexpr int number(double value) { return g.add({.kind = op::number, .value = value}); }
    constexpr int zero(axes shape) { return g.add({.kind = op::zero, .shape = shape}); }
    constexpr bool is_zero(int i) const { return g[i].kind == op::zero || g.is_number(i, 0); }
    constexpr int function_of(int f, int a, int b) {
        return g.add({.kind = op::pointwise, .shape = broadcast(g[a].shape, g[b].shape), .function = f},
                     {a, b});
    }
    constexpr int multiply(int a, int b) {
        if (g.is_number(a, 1))
            return b;
        if (g.is_number(b, 1))
            return a;
        if (g.is_number(a, -1))
            return negate(b);
        if (g.is_number(b, -1))
            return negate(a);
        return is_zero(a) || is_zero(b) ? number(0) : function_of(f_multiply, a, b);
    }
    constexpr int negate(int a) {
        if (g.is(a, f_negate))
            return g.operand(a);
        return g.add({.kind = op::pointwise, .shape = g[a].shape, .function = f_negate}, {a});
    }
    constexpr int add(int a, int b) {
        if (g.is(b, f_negate))
            return function_of(f_subtract, a, g.operand(b));
        if (g.is(a, f_negate))
            return function_of(f_subtract, b, g.operand(a));
        return function_of(f_add, a, b);
    }
    constexpr int transpose(int m) {
        if (g[m].kind == op::transpose)
            return g.operand(m);
        axes shape = g[m].shape;
        std::swap(shape.rows, shape.columns);
        return g.add({.kind = op::transpose, .shape = shape}, {m});
    }
    constexpr int product(int a, int m) {
        axes shape = g[a].shape;
        shape.columns = width_of_product(g, shape.columns, g[m].shape.columns);
        return g.add({.kind = op::product, .shape = shape}, {a, m});
    }
    constexpr int outer(int a, int b, axes shape) {
        return g.add({.kind = op::outer, .shape = shape}, {a, b});
    }
    /// A copy with another mark is another node.
    constexpr int copy(int i, int mark) {
        return g.add({.kind = op::pointwise, .shape = g[i].shape, .function = f_copy, .order = mark}, {i});
    }
    constexpr int slice(int of, int from, axes shape, int groups) {
        node const n = g[of];
        if (n.shape.columns == shape.columns)
            return of;
        if (n.kind == op::concat && n.groups == groups) { // a column range that is one of the parts
            list<int> before;
            for (int k = 0; k < n.count; ++k) {
                int const operand = g.operand(of, k);
                if (g.sum_of_widths(before) == from && g[operand].shape.columns == shape.columns)
                    return operand;
                before.push_back(g[operand].shape.columns);
            }
        }
        return g.add({.kind = op::slice, .shape = shape, .from = from, .groups = groups}, {of});
    }
    /// With all axes that a node of this shape has.
    constexpr int full(int i, axes shape) {
        if (g[i].kind == op::zero || g.is_number(i, 0))
            return g[i].shape == shape ? i : zero(shape);
        if (g[i].shape == shape)
            return i;
        return g.add({.kind = op::spread, .shape = shape}, {i});
    }
};

} // namespace sluice::detail
