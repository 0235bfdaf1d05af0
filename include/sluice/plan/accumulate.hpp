// SPDX-License-Identifier: BSL-1.0
// accumulate: sums that no block computes. A product is added to what already lies in the place of the sum.
// In the loop of the GRU's gradient
//
//   block    v4, v5                                block    v4, v5, v6 = v2 . u + v3 R_n^T . r
//   product  p = [v5, v4] [R_r R_u]^T       ->     product  d(h) = v6 + [v5, v4] [R_r R_u]^T, in v6's place
//   block    d(h) = v2 . u + v3 R_n^T . r + p
//
// v6 is computed where its operands are read anyway, and no block is left after the product. Both summands
// are read by the sum only, so that none of them is looked for where the sum is. Of (v6 + p) + q both
// products can be added in turn.
//
// Which sums gain from it is known when blocks and buffers have been found: plan/schedule.hpp tries.
#pragma once

#include <sluice/graph/operations.hpp>
#include <sluice/graph/phases.hpp>

namespace sluice {

/// Sums in the places of which products are added up.
struct accumulation_map {
    list<int> product_of{}; ///< sum -> the product that is added to the other summand, or -1
    list<int> sum_of{};     ///< summand of such a sum -> the sum, or -1

    constexpr explicit accumulation_map(int nodes) : product_of(nodes, -1), sum_of(nodes, -1) {}

    constexpr bool is_sum(int i) const { return product_of[i] >= 0; }
    constexpr bool is_summand(int i) const { return sum_of[i] >= 0; }
    /// A product that is added to the other summand.
    constexpr bool is_added(int i) const { return is_summand(i) && product_of[sum_of[i]] == i; }

    constexpr void add(graph_view g, int sum, int product) {
        product_of[sum] = product;
        for (int o : g.operands_of(sum))
            sum_of[o] = sum;
    }
};

/// What the product is added to in the sum.
constexpr int other_summand(graph_view g, int sum, int product) {
    return g.operand(sum, g.operand(sum) == product);
}

/// All sums of the loop that could be made so.
constexpr accumulation_map find_accumulable(sweep const& s, phase_map const& m) {
    graph_view const g = s.g;
    list<int> readers(g.size()), concats(g.size());
    auto const read = [&](int reader, int o) {
        ++readers[o];
        concats[o] += g[reader].kind == op::concat;
    };
    for (int i : m.order)
        if (m.delay_of[i] >= 0)
            read(i, m.delay_of[i]);
        else
            for (int o : g.operands_of(i))
                read(i, o);
    for (wanted_value const& w : s.wanted)
        ++readers[w.node];
    for (carried_pair const& pair : s.carried)
        ++readers[pair.result];

    accumulation_map possible(g.size());
    for (int i : m.order) {
        // A product is written to one place, and not to several concats.
        if (is_source(s, i) || !g.is(i, f_add) || m.when[i] != phase::loop || concats[i] > 1)
            continue;
        auto const is_free = [&](int o) {
            return !is_source(s, o) && m.when[o] == phase::loop && g[o].shape == g[i].shape &&
                   (g[o].kind == op::product || is_in_blocks(g[o])) && readers[o] == 1;
        };
        for (int k : {1, 0}) // the second one if both are products
            if (int const p = g.operand(i, k);
                !possible.is_sum(i) && g[p].kind == op::product && is_free(p) && is_free(g.operand(i, 1 - k)))
                possible.add(g, i, p);
    }
    return possible;
}

/// The same order, but for the products of sums: they come right before these, after what they are added
/// to.
constexpr list<int> with_products_last(list<int> const& order, accumulation_map const& sums) {
    list<int> result;
    for (int i : order) {
        if (sums.is_sum(i))
            result.push_back(sums.product_of[i]);
        if (!sums.is_added(i))
            result.push_back(i);
    }
    return result;
}

} // namespace sluice
