// SPDX-License-Identifier: BSL-1.0
// First part of planning: what is wanted, what depends on the recurrence, and what is computed in place.
#pragma once

#include <sluice/graph/differentiate.hpp>
#include <sluice/graph/plan.hpp>

namespace sluice::detail {

constexpr bool is_sum_over_batch(op k) {
    return k == op::outer || k == op::column_sum;
}

template <std::size_t N, std::size_t P>
struct planner_of_phases {
    graph<N> const& g;
    int given;           ///< nodes in front that another plan computes; 0: this is the forward plan
    int const* gradient; ///< given node -> its gradient
    bool const* keep;    ///< forward: nodes that the backward plan reads
    plan<N, P> p{};
    int sum_of[N]{};     ///< leader of a merged transpose -> product + 1
    bool depends[N]{};   ///< on a recurrent leaf
    bool needed[N]{};    ///< by a recurrent result
    bool for_other[N]{}; ///< wanted by more than the gradient of the input
    phase when[N]{};

    constexpr planner_of_phases(graph<N> const& source, int given_nodes, int const* gradients,
                                bool const* kept)
        : g(source), given(given_nodes), gradient(gradients), keep(kept) {
        for (int i = 0; i < g.size(); ++i)
            p.same_as[i] = i;
    }

    constexpr bool is_saved(int i) const { return i < given && !is_leaf(g[i].kind) && !p.in_place[i]; }
    constexpr bool is_source(int i) const { return is_leaf(g[i].kind) || is_saved(i); }
    constexpr bool is_recurrent_leaf(int i) const {
        return given == 0 ? g[i].kind == op::state
                          : g[i].kind == op::seed && g[i].order == 1 && g[i].index > 0;
    }
    constexpr bool is_recurrent_result(definition const& d) const {
        return given == 0 ? d.kind == role::next : g[d.of].kind == op::state;
    }
    constexpr bool is_kept(int i) const { return given == 0 && keep[i]; }
    constexpr int canon(int i) const { return p.same_as[i]; }
    constexpr bool in_block(int i) const {
        return p.live[i] && !is_source(i) && !p.in_place[i] && is_pointwise(g[i].kind) && canon(i) == i &&
               g[i].form != shape::matrix; // a sum of matrices is added up where gradients are handed over
    }

    /// A sum with an absorbed operand is the other operand.
    constexpr void find_same() {
        for (int i = given; i < g.size(); ++i) {
            p.same_as[i] = i;
            if (g[i].kind != op::add)
                continue;
            int const a = canon(g[i].a), b = canon(g[i].b);
            p.same_as[i] = p.absorbed[a] ? b : p.absorbed[b] ? a : i;
        }
    }

    /// The nodes that i is computed from, here and now.
    template <class F>
    constexpr void for_operands(int i, F f) const {
        if (is_source(i))
            return;
        if (sum_of[i] > 0) {
            auto const& merged = p.products[sum_of[i] - 1];
            for (int m = 0; m < merged.count; ++m)
                f(p.panels[merged.operand.panel].members[merged.operand.member + m]);
            return;
        }
        if (g[i].a >= 0 && !p.absorbed[canon(g[i].a)])
            f(canon(g[i].a));
        if (g[i].b >= 0 && g[g[i].b].kind != op::matrix && !p.absorbed[canon(g[i].b)])
            f(canon(g[i].b));
    }

    /// Functions of parameters and numbers only, and in the backward plan a forward value such as 1 - z, are
    /// computed wherever they are wanted.
    constexpr void find_in_place() {
        for (int i = 0; i < g.size(); ++i) {
            node const& n = g[i];
            if (!is_pointwise(n.kind))
                continue;
            bool constant = n.form != shape::batch;
            for (int o : n.operands())
                constant =
                    constant && (o < 0 || (is_leaf(g[o].kind) && g[o].kind != op::seed) || p.in_place[o]);
            bool const cheap =
                n.kind == op::negate ||
                (n.kind != op::apply && (g[n.a].form == shape::scalar || g[n.b].form == shape::scalar));
            p.in_place[i] = constant || (i < given && cheap);
        }
        for (int i = given; i < g.size(); ++i) // what a product reads has to be in memory
            if (is_any_product(g[i].kind)) {
                p.in_place[g[i].a] = false;
                if (g[i].kind == op::outer)
                    p.in_place[g[i].b] = false;
            }
        for (definition const& d : g.results)
            p.in_place[d.at] = false;
    }

    constexpr void find_phases() {
        for (int i = 0; i < g.size(); ++i)
            p.live[i] = needed[i] = for_other[i] = false;
        for (definition const& d : g.results) {
            int const at = canon(d.at);
            p.live[at] = true;
            needed[at] = needed[at] || is_recurrent_result(d);
            for_other[at] = for_other[at] || d.kind != role::gradient || g[d.of].kind != op::input;
        }
        for (int i = g.size() - 1; i >= 0; --i) {
            if (is_kept(i))
                p.live[i] = for_other[i] = true;
            if (p.live[i])
                for_operands(i, [&](int o) {
                    p.live[o] = true;
                    needed[o] = needed[o] || needed[i];
                    for_other[o] = for_other[o] || for_other[i];
                });
        }
        for (int i = 0; i < g.size(); ++i) {
            depends[i] = is_recurrent_leaf(i);
            bool after = is_sum_over_batch(g[i].kind);
            for_operands(i, [&](int o) {
                depends[i] = depends[i] || depends[o];
                after = after || (!is_source(o) && when[o] == phase::after);
            });
            when[i] = after         ? phase::after
                      : !depends[i] ? phase::before
                      : needed[i]   ? phase::loop
                                    : phase::after;
        }
    }

    /// Sums and products that only later blocks read wait for those: no pass over all time steps of their
    /// own.
    constexpr void sink_cheap_sums() {
        bool read_by_block[N]{}, read_otherwise[N]{};
        for (definition const& d : g.results)
            read_otherwise[canon(d.at)] = true;
        for (int i = g.size() - 1; i >= 0; --i) {
            if (!p.live[i] || is_source(i))
                continue;
            bool const cheap = is_pointwise(g[i].kind) && g[i].kind != op::apply && when[i] == phase::before;
            if (cheap && read_by_block[i] && !read_otherwise[i] && !is_kept(i))
                p.in_place[i] = true;
            bool const sinks = is_pointwise(g[i].kind) && (when[i] != phase::before || p.in_place[i]);
            for_operands(i, [&](int o) { (sinks ? read_by_block[o] : read_otherwise[o]) = true; });
        }
    }
};

} // namespace sluice::detail
