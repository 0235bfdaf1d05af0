// SPDX-License-Identifier: BSL-1.0
// Third part of planning: levels, blocks, what has to be in memory, and the order of the work.
#pragma once

#include <sluice/graph/plan/products.hpp>

namespace sluice::detail {

template <std::size_t N>
struct planner : planner_of_products<N> {
    using base = planner_of_products<N>;
    using base::base, base::g, base::given, base::p, base::when;
    using base::canon, base::for_operands, base::in_block, base::is_source;

    int level[N]{};

    /// A product stands one level above what it reads; a pointwise node on the level of what it reads.
    constexpr int level_of_operands(int user, phase now) const {
        int most = 0;
        for_operands(user, [&](int o) {
            int const l = p.in_place[o]                    ? level_of_operands(o, now)
                          : is_source(o) || when[o] != now ? 0
                                                           : level[o];
            most = l > most ? l : most;
        });
        return most;
    }

    constexpr void find_levels() {
        for (planned_product& product : p.products) {
            product.when = when[product.computes[0]];
            product.for_input_only =
                product.kind == op::product_transposed && !base::for_other[product.computes[0]];
        }
        for (int i = 0; i < g.size(); ++i)
            if (p.live[i] && !is_source(i))
                level[i] = level_of_operands(i, when[i]) + is_any_product(g[i].kind);
        for (planned_product& product : p.products)
            for (int i : product.computes)
                product.level = level[i] > product.level ? level[i] : product.level;
    }

    constexpr void make_blocks() {
        for (int i = 0; i < g.size(); ++i) {
            p.block_of[i] = -1;
            if (!in_block(i))
                continue;
            planned_block const wanted{when[i], level[i], g[i].columns, g[i].form == shape::vector,
                                       !base::for_other[i]};
            for (int k = 0; k < p.blocks.size(); ++k)
                if (p.blocks[k] == wanted)
                    p.block_of[i] = k;
            if (p.block_of[i] < 0)
                p.block_of[i] = p.blocks.push_back(wanted);
        }
    }

    /// Whatever somebody else than its own block reads has a home; over all time if another phase reads it.
    constexpr void want(int i, int block, phase reader) {
        if (p.in_place[i]) {
            for_operands(i, [&](int o) { want(o, block, reader); });
            return;
        }
        if (base::is_saved(i)) {
            p.saved[i] = true;
            return;
        }
        bool const seed = given > 0 && base::is_recurrent_leaf(i);
        if ((is_leaf(g[i].kind) && !seed) || (block >= 0 && p.block_of[i] == block))
            return;
        if (p.homes[i].empty())
            p.panels[base::own_panel(i)].single_row = g[i].form == shape::vector;
        phase const written = seed ? phase::loop : when[i];
        if (reader != phase::loop || written != phase::loop)
            for (home const& h : p.homes[i])
                p.panels[h.panel].kept = true;
    }

    constexpr void make_homes() {
        for (planned_product& product : p.products) {
            if (product.kind == op::product_transposed || product.kind == op::outer)
                give_homes(product);
            if (product.when != phase::loop)
                for (home h : std::array<home, 2>{product.operand, product.result})
                    if (h.panel >= 0)
                        p.panels[h.panel].kept = true;
        }
        for (planned_product const& product : p.products) {
            if (product.left >= 0)
                want(product.left, -1, product.when);
            for (int m = 0; m < product.count && product.operand.panel >= 0; ++m)
                want(p.panels[product.operand.panel].members[product.operand.member + m], -1, product.when);
        }
        for (int i = 0; i < g.size(); ++i)
            if (p.block_of[i] >= 0)
                for_operands(i, [&](int o) { want(o, p.block_of[i], when[i]); });
        for (definition const& d : g.results)
            if (g[d.at].form != shape::matrix)
                want(canon(d.at), -1, base::is_recurrent_result(d) ? phase::loop : phase::after);
        for (int i = 0; i < g.size(); ++i)
            if (base::is_kept(i))
                want(i, -1, phase::after);
    }

    /// Members of a panel of gradients: blocks write them there; what no block computes is copied there.
    constexpr void give_homes(planned_product const& product) {
        panel& operand = p.panels[product.operand.panel];
        for (int m = 0; m < operand.members.size() && !operand.placed; ++m) {
            int const member = operand.members[m];
            home const here{product.operand.panel, m};
            if (in_block(member))
                p.homes[member].push_back(here);
            else
                p.copies.push_back({.from = member,
                                    .to = here,
                                    .when = is_source(member) ? product.when : when[member],
                                    .level = level[member]});
        }
        operand.placed = true;
        for (planned_copy& copy : p.copies) // a loop that reads it too needs it in time
            if (copy.to.panel == product.operand.panel && is_source(copy.from) && product.when < copy.when)
                copy.when = product.when;
    }

    constexpr void make_schedule() {
        for (phase now : std::array<phase, 3>{phase::before, phase::loop, phase::after})
            for (int l = 0; l <= 64; ++l) {
                for (int k = 0; k < p.products.size(); ++k)
                    if (p.products[k].when == now && p.products[k].level == l)
                        p.schedule.push_back({task::product, k, now});
                for (int k = 0; k < p.blocks.size(); ++k)
                    if (p.blocks[k].when == now && p.blocks[k].level == l)
                        p.schedule.push_back({task::block, k, now});
                for (int k = 0; k < p.copies.size(); ++k)
                    if (p.copies[k].when == now && p.copies[k].level == l)
                        p.schedule.push_back({task::copy, k, now});
            }
    }

    constexpr plan<N> run(fixed_vector<weight_pack, 24> const& packs) {
        base::find_in_place();
        base::find_phases();
        if (given == 0) {
            base::sink_cheap_sums();
            base::pack_products();
        } else {
            p.packs = packs;
            base::count_users();
            base::merge_products();
            base::rename_members();
            base::find_phases(); // absorbed products are out of the sums now
            base::sink_cheap_sums();
            base::add_column_sums();
        }
        find_levels();
        make_blocks();
        make_homes();
        make_schedule();
        return p;
    }
};

} // namespace sluice::detail

namespace sluice {

/// The plan of the gradients; `packs` are those of the forward plan.
template <std::size_t N>
constexpr plan<N> plan_backward(gradient_graph<N> const& d, fixed_vector<weight_pack, 24> const& packs) {
    return detail::planner<N>{d.whole, d.given, d.gradient, nullptr}.run(packs);
}

/// The forward plan; `keep` marks the nodes whose values the backward pass reads.
template <std::size_t N>
constexpr plan<N> plan_forward(graph<N> const& g, bool const* keep) {
    return detail::planner<N>{g, 0, nullptr, keep}.run({});
}
/// The same, keeping nothing.
template <std::size_t N>
constexpr plan<N> plan_forward(graph<N> const& g) {
    bool const nothing[N]{};
    return plan_forward(g, nothing);
}

} // namespace sluice
