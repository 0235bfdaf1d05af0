// SPDX-License-Identifier: BSL-1.0
// rematerialize: which values are never stored but recomputed, in registers, by every block that reads
// them.
//
//   functions of parameters     cheap ones, and scalars: alpha + 1
//   values of earlier sweeps    1 - u in the gradient of the GRU, when u is there anyway
//   cheap values before the loop that only blocks read: a bias that is added to a hoisted product
//   matrix values               vectors that stand in them, and what is cheap of few that lie there anyway: a
//                               pass over a S reads S
#pragma once

#include <sluice/plan/accumulate.hpp>
#include <sluice/plan/plan.hpp>

namespace sluice {
namespace detail {

/// A pointwise node whose operands are all leaves other than those that change with time, or such nodes.
constexpr list<bool> find_constants(graph_view g) {
    list<bool> constant(g.size());
    for (int i = 0; i < g.size(); ++i) {
        op const kind = g[i].kind;
        constant[i] =
            kind == op::parameter || kind == op::setting || kind == op::number || kind == op::features;
        if (kind == op::pointwise) {
            constant[i] = true;
            for (int o : g.operands_of(i))
                constant[i] = constant[i] && constant[o];
        }
    }
    return constant;
}

/// Of matrix values: `needs_memory` those that are written there, and `read` those that the sweep reads.
constexpr void rematerialize_matrices(sweep const& s, list<bool> const& needs_memory, list<bool> const& read,
                                      list<bool>& recomputed) {
    graph_view const g = s.g;
    constexpr int most_matrices = 2, most_operations = 8; // no more than storing and reading one again
    list<int> matrices(g.size()), operations(g.size());
    for (int i = 0; i < g.size(); ++i) {
        if (!g.is_matrix_value(i))
            continue;
        matrices[i] = 1; // where it is read
        if (needs_memory[i] || is_leaf(g[i].kind))
            continue;
        bool all = g[i].kind == op::repeat || (g[i].kind == op::pointwise && g.is_cheap(i));
        int of_matrices = 0, of_operations = g[i].kind != op::repeat;
        for (int o : g.operands_of(i)) {
            if (g[i].kind == op::repeat)
                break;
            all = all && (recomputed[o] || is_leaf(g[o].kind) || (i < s.start && read[o]));
            of_matrices += matrices[o];
            of_operations += operations[o];
        }
        recomputed[i] = all && of_matrices <= most_matrices && of_operations <= most_operations;
        if (recomputed[i]) {
            matrices[i] = of_matrices;
            operations[i] = of_operations;
        }
    }
}

} // namespace detail

constexpr list<bool> find_rematerialized(sweep const& s, phase_map const& m) {
    graph_view const g = s.g;
    list<bool> recomputed(g.size());

    list<bool> needs_memory(g.size()); // read by something that is no block, or wanted
    list<bool> read_early(g.size());   // by a block before the loop that is not recomputed itself
    for (wanted_value const& w : s.wanted)
        needs_memory[w.node] = true;
    for (carried_pair const& pair : s.carried)
        needs_memory[pair.result] = true;
    for (int i : m.order)
        if (!is_in_blocks(g[i]) && !is_source(s, i))
            for (int o : g.operands_of(i))
                needs_memory[o] = true;
    for (node const& n : g.nodes) // vectors are read from memory where they stand in a matrix
        if (n.kind == op::repeat && n.is_of_matrix())
            needs_memory[g.operands[n.first]] = true;
        else if (waits_for_row(n.kind) && g.is_matrix_value(g.operands[n.first]))
            for (int o : g.operands.part(n.first, n.count)) // no vector stands in the blocks that read them
                needs_memory[o] = true;

    list<bool> const constant = detail::find_constants(g);
    for (int i = 0; i < g.size(); ++i)
        if (g[i].kind == op::features)
            recomputed[i] = true;
        else if (g[i].kind == op::pointwise && !g[i].shape.is_matrix() && constant[i] && !needs_memory[i])
            recomputed[i] = g.is_cheap(i) || !g[i].shape.has_features();

    list<bool> read(g.size());
    for (int i : m.order)
        if (!is_source(s, i) && m.live[i])
            for (int o : g.operands_of(i))
                read[o] = true;
    detail::rematerialize_matrices(s, needs_memory, read, recomputed);

    for (int k = m.order.size() - 1; k >= 0; --k) {
        int const i = m.order[k];
        if (is_source(s, i) || !is_in_blocks(g[i]))
            continue;
        bool const hoisted = g.is_cheap(i) && m.when[i] == phase::before && !g[i].shape.is_matrix();
        if (hoisted && !needs_memory[i] && !read_early[i])
            recomputed[i] = true;
        if (m.when[i] == phase::before && !recomputed[i])
            for (int o : g.operands_of(i))
                read_early[o] = true;
    }

    // Values of earlier sweeps: those that cost little, where what they are made of is read anyway.
    for (int i = 0; i < s.start; ++i) {
        if (!g.is_cheap(i) || g[i].shape.is_matrix() || needs_memory[i] || recomputed[i])
            continue;
        bool all = true;
        for (int o : g.operands_of(i))
            all = all && (is_leaf(g[o].kind) || (recomputed[o] && constant[o]) ||
                          (read[o] && !recomputed[o] && g[o].kind != op::slice));
        recomputed[i] = all;
    }
    return recomputed;
}

/// What is read where a node is computed: its operands, and in the place of what is recomputed its
/// operands. A product that accumulates reads what it is added to; the sum is then the same as the product.
class read_map {
public:
    constexpr read_map(sweep const& s, phase_map const& m, list<bool> const& recomputed,
                       accumulation_map const& sums) {
        ranges_.resize(s.g.size());
        list<int> work;
        list<int> met(s.g.size()); // the last reader, plus one
        for (int i : m.order) {
            int const first = values_.size();
            work.clear();
            if (m.delay_of[i] >= 0)
                values_.push_back(m.delay_of[i]);
            else if (sums.is_sum(i))
                values_.push_back(sums.product_of[i]);
            else if (!recomputed[i] && (!s.g.is_matrix(i) || s.g[i].kind == op::outer))
                work.push_back(i);
            if (sums.is_added(i))
                values_.push_back(other_summand(s.g, sums.sum_of[i], i));
            for (int done = 0; done < work.size(); ++done)
                for (int o : s.g.operands_of(work[done])) {
                    if (met[o] == i + 1)
                        continue;
                    met[o] = i + 1;
                    if (!recomputed[o])
                        values_.push_back(o);
                    else if (s.g[o].kind != op::features)
                        work.push_back(o);
                }
            ranges_[i] = {first, values_.size() - first};
        }
    }
    constexpr view<int> operator[](int i) const { return values_.part(ranges_[i].first, ranges_[i].count); }

private:
    list<range> ranges_{};
    list<int> values_{};
};

} // namespace sluice
