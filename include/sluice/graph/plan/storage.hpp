// SPDX-License-Identifier: BSL-1.0
// Third part of planning: levels, blocks, what has to be in memory, and the order of the work.
#pragma once

#include <sluice/graph/plan/products.hpp>

namespace sluice::detail {

template <std::size_t N, std::size_t P>
struct planner : planner_of_products<N, P> {
    using base = planner_of_products<N, P>;
    using base::base, base::g, base::given, base::p, base::when;
    using base::canon, base::for_operands, base::in_block, base::is_source;

    static constexpr std::array<phase, 3> all_phases{phase::before, phase::loop, phase::after};

    int highest = 0;            ///< level of all
    int level[N]{};             ///< of a node in its phase
    int in_place_level[N][3]{}; ///< of a node that is computed in place, in each phase that may read it

    /// A product stands one level above what it reads; a pointwise node on the level of what it reads.
    constexpr int level_of_operands(int user, phase now) const {
        int most = 0;
        for_operands(user, [&](int o) {
            int const l = p.in_place[o]                    ? in_place_level[o][static_cast<int>(now)]
                          : is_source(o) || when[o] != now ? 0
                                                           : level[o];
            most = l > most ? l : most;
        });
        return most;
    }

    constexpr void find_levels() {
        for (planned_product<P>& product : p.products) {
            product.when = when[product.computes[0]];
            product.for_input_only =
                product.kind == op::product_transposed && !base::for_other[product.computes[0]];
        }
        for (int i = 0; i < g.size(); ++i) {
            if (!p.live[i] || is_source(i))
                continue;
            level[i] = level_of_operands(i, when[i]) + is_any_product(g[i].kind);
            highest = level[i] > highest ? level[i] : highest;
            for (phase now : all_phases)
                if (p.in_place[i])
                    in_place_level[i][static_cast<int>(now)] = level_of_operands(i, now);
        }
        for (planned_product<P>& product : p.products)
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
            want_what_is_under(i, block, reader);
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

    /// What is read by a node that is computed in place, or by others in place on which it depends.
    constexpr void want_what_is_under(int top, int block, phase reader) {
        bool reached[N]{};
        reached[top] = true;
        for (int i = top; i >= 0; --i)
            if (reached[i])
                for_operands(i, [&](int o) {
                    if (p.in_place[o])
                        reached[o] = true;
                    else
                        want(o, block, reader);
                });
    }

    constexpr void make_homes() {
        for (planned_product<P>& product : p.products) {
            if (product.kind == op::product_transposed || product.kind == op::outer)
                give_homes(product);
            if (product.when != phase::loop)
                for (home h : std::array<home, 2>{product.operand, product.result})
                    if (h.panel >= 0)
                        p.panels[h.panel].kept = true;
        }
        for (planned_product<P> const& product : p.products) {
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
    constexpr void give_homes(planned_product<P> const& product) {
        panel<P>& operand = p.panels[product.operand.panel];
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
        for (phase now : all_phases)
            for (int l = 0; l <= highest; ++l) {
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

    constexpr plan<N, P> run(fixed_vector<weight_pack<P>, P> const& packs) {
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

/// The plan of the gradients; `packs` are those of the forward plan. P is the number of products.
template <std::size_t P, std::size_t N, std::size_t Forward>
constexpr plan<N, P> plan_backward(gradient_graph<N> const& d,
                                   fixed_vector<weight_pack<Forward>, Forward> const& packs) {
    fixed_vector<weight_pack<P>, P> same;
    for (weight_pack<Forward> const& pack : packs) {
        same.push_back({.left = pack.left, .grouped = pack.grouped});
        for (int product : pack.products)
            same[same.size() - 1].products.push_back(product);
    }
    return detail::planner<N, P>{d.whole, d.given, d.gradient, nullptr}.run(same);
}

/// The forward plan; `keep` marks the nodes whose values the backward pass reads.
template <std::size_t P, std::size_t N>
constexpr plan<N, P> plan_forward(graph<N> const& g, bool const* keep) {
    return detail::planner<N, P>{g, 0, nullptr, keep}.run({});
}
/// The same, keeping nothing.
template <std::size_t P, std::size_t N>
constexpr plan<N, P> plan_forward(graph<N> const& g) {
    bool const nothing[N]{};
    return plan_forward<P>(g, nothing);
}

} // namespace sluice
