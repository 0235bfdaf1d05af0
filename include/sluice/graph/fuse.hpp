// SPDX-License-Identifier: BSL-1.0
// fuse: products with one left operand, as many groups and the same phase become one product with the weights
// side by side, and the single results slices of it. Of the GRU
//
//   x W_r, x W_u, x W_n     ->   p = x [W_r W_u W_n],   p[0 : u], p[u : 2 u], p[2 u : 3 u]   of u units
//   h R_r, h R_u            ->   q = h [R_r R_u],       q[0 : units], q[units : 2 units]
//
// Slices and packs are ordinary nodes, so that no later pass knows of fusing: the gradient of p is by itself
// one product with the transposed pack, and that of the pack one outer product.
//
// A product of matrix values stays as it is: its columns beside others would lie in pieces, row by row.
//
// Members stand in the order of the sums that they are added to, so that the gradients of x's [r u n] and h's
// [r u] are parts of one matrix.
//
// And where a matrix value that is scaled is contracted, the scales are multiplied first, as vectors: of a
// gated delta rule, where both k and a stand in the columns of S, the sum reads S alone, and k . a is there
// before the loop.
//
//   k (diag(a) S)           ->   (k . a) S
#pragma once

#include <sluice/graph/phases.hpp>

namespace sluice {
namespace detail {

struct fusion {
    int left = -1;
    int groups = no_axis;
    phase when = phase::before;
    list<int> members{}; ///< products
    int fused = -1;      ///< the one product, in the new graph
};

struct fuser {
    graph_view old;
    graph g{};
    list<int> built{};
    list<fusion> fusions{};
    list<int> fusion_of{};

    constexpr explicit fuser(graph_view from) : old(from) {
        built.resize(old.size(), -1);
        fusion_of.resize(old.size(), -1);
        g.widths = old.widths;
        g.parts = old.parts;
        g.names = old.names;
        g.definitions = old.definitions;
        g.results = old.results;
        g.operations = old.operations;
        g.trouble = old.trouble;
    }

    /// A grouped product whose columns others read as if they lay next to each other stays alone: side by
    /// side with others they would be cut into groups.
    constexpr list<bool> find_lone() const {
        list<bool> lone(old.size());
        for (int i = 0; i < old.size(); ++i)
            if (old[i].kind == op::product || old[i].kind == op::slice) {
                int const left = old.operand(i);
                int const groups = old[i].kind == op::slice ? no_axis : old[old.operand(i, 1)].shape.groups;
                if (old[left].kind == op::product && old[old.operand(left, 1)].shape.groups != no_axis &&
                    old[old.operand(left, 1)].shape.groups != groups)
                    lone[left] = true;
            }
        return lone;
    }

    /// The sum that each node is a part of, where nothing else reads a partial sum.
    constexpr list<int> roots_of_sums() const {
        list<int> users(old.size()), user(old.size(), -1), root(old.size());
        for (int i = 0; i < old.size(); ++i)
            for (int o : old.operands_of(i)) {
                ++users[o];
                user[o] = i;
            }
        for (definition const& d : old.results)
            ++users[d.at];
        for (int i = old.size() - 1; i >= 0; --i) {
            bool const added =
                users[i] == 1 && user[i] >= 0 &&
                (old.is(user[i], f_add) || (old.is(user[i], f_subtract) && old.operand(user[i]) == i));
            root[i] = added ? root[user[i]] : i;
        }
        return root;
    }

    constexpr void find_fusions() {
        sweep const s = forward_sweep(old);
        phase_map const m = find_phases(s);
        list<bool> const lone = find_lone();
        for (int i = 0; i < old.size(); ++i) {
            if (old[i].kind != op::product || !m.live[i] || lone[i] || old.is_matrix_value(i))
                continue;
            int const left = old.operand(i), groups = old[old.operand(i, 1)].shape.groups;
            int chosen = -1;
            for (int k = 0; k < fusions.size() && chosen < 0; ++k)
                if (fusions[k].left == left && fusions[k].groups == groups && fusions[k].when == m.when[i])
                    chosen = k;
            if (chosen < 0)
                chosen = fusions.push_back({.left = left, .groups = groups, .when = m.when[i]});
            fusions[chosen].members.push_back(i);
            fusion_of[i] = chosen;
        }
        list<int> const root = roots_of_sums();
        for (fusion& t : fusions)
            sort(t.members, [&](int a, int b) { return root[a] < root[b]; });
    }

    constexpr int build(int i) {
        if (built[i] >= 0)
            return built[i];
        if (fusion_of[i] >= 0 && fusions[fusion_of[i]].members.size() > 1)
            return built[i] = member(i);
        if (old[i].is_of_matrix() && old[i].kind == op::fold && is_scaled(old.operand(i)))
            return built[i] = g.add(old[i], {contracted(old.operand(i))});
        list<int> operands;
        for (int o : old.operands_of(i))
            operands.push_back(old[i].kind == op::concat && !old.is_matrix(i) ? part(build(o), old[i].shape)
                                                                              : build(o));
        return built[i] = g.add(old[i], view<int>(operands));
    }

    /// What stands side by side with others is written there by the block that computes it, in every row;
    /// anything else is copied by one.
    constexpr int part(int i, axes all) {
        all.columns = g[i].shape.columns;
        return is_in_blocks(g[i]) && g[i].shape == all ? i : copy_of(g, i, all);
    }

    /// What a matrix value is the product of: a vector that stands in it, or -1, and the rest.
    struct scale {
        int vector = -1, rest = -1; ///< nodes
    };
    constexpr scale find_scale(int i) const {
        if (!old.is(i, f_multiply))
            return {};
        for (int const k : {0, 1})
            if (int const vector = old.operand(i, k);
                old[vector].kind == op::repeat && old[vector].is_of_matrix())
                return {vector, old.operand(i, 1 - k)};
        return {};
    }
    /// Whether two vectors that stand alike are its factors.
    constexpr bool is_scaled(int i) const {
        scale const outer = find_scale(i);
        return outer.vector >= 0 && stand_alike(outer.vector, find_scale(outer.rest).vector);
    }
    /// Such a product, whose vectors that stand alike are multiplied first.
    constexpr int contracted(int i) {
        scale const outer = find_scale(i);
        int product = build(old.operand(outer.vector)), rest = outer.rest;
        for (scale inner = find_scale(rest); stand_alike(outer.vector, inner.vector);
             inner = find_scale(rest)) {
            int const next = build(old.operand(inner.vector));
            product = g.add({.kind = op::pointwise,
                             .shape = broadcast(g[product].shape, g[next].shape),
                             .function = f_multiply,
                             .owner = old[i].owner},
                            {product, next});
            rest = inner.rest;
        }
        node all = old[outer.vector];
        all.shape.time = g[product].shape.time;
        all.shape.row = g[product].shape.row;
        return g.add(old[i], {g.add(all, {product}), build(rest)});
    }
    constexpr bool stand_alike(int a, int b) const {
        return b >= 0 && old[a].order == old[b].order && old[a].groups == old[b].groups;
    }

    constexpr int member(int i) {
        fusion& t = fusions[fusion_of[i]];
        if (t.fused < 0) {
            list<int> matrices, widths;
            for (int product : t.members) {
                int const matrix = old.operand(product, 1);
                matrices.push_back(build(matrix));
                widths.push_back(old[matrix].shape.columns);
            }
            axes pack = old[old.operand(t.members[0], 1)].shape;
            pack.columns = g.sum_of_widths(widths);
            axes all = old[t.members[0]].shape;
            all.columns = pack.columns;
            int const right =
                g.add({.kind = op::concat, .shape = pack, .groups = t.groups}, view<int>(matrices));
            t.fused = g.add({.kind = op::product, .shape = all, .owner = old[t.members[0]].owner},
                            {build(t.left), right});
        }
        list<int> before;
        for (int product : t.members) {
            if (product == i)
                break;
            before.push_back(old[product].shape.columns);
        }
        return g.add({.kind = op::slice,
                      .shape = old[i].shape,
                      .from = g.sum_of_widths(before),
                      .groups = t.groups,
                      .owner = old[i].owner},
                     {t.fused});
    }

    constexpr void run() {
        for (int i = 0; i < old.size(); ++i) // leaves keep their order
            if (is_leaf(old[i].kind))
                build(i);
        for (int i = 0; i < old.size(); ++i)
            build(i);
        for (definition& d : g.definitions)
            d.at = d.at < 0 ? -1 : built[d.at];
        for (definition& d : g.results)
            d.at = built[d.at];
    }
};

} // namespace detail

/// The graph with fused products, and with next states that a sweep can carry.
constexpr graph fuse(graph_view g) {
    detail::fuser f(g);
    f.find_fusions();
    f.run();
    copy_what_cannot_be_carried(f.g);
    return std::move(f.g);
}

/// The graph with its products as they are.
constexpr graph without_fusing(graph_view g) {
    detail::fuser f(g);
    f.run();
    copy_what_cannot_be_carried(f.g);
    return std::move(f.g);
}

} // namespace sluice
