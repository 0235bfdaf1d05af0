// SPDX-License-Identifier: BSL-1.0
// Second part of planning: which products become one.
#pragma once

#include <sluice/graph/plan/phases.hpp>

namespace sluice::detail {

template <std::size_t N, std::size_t P>
struct planner_of_products : planner_of_phases<N, P> {
    using base = planner_of_phases<N, P>;
    using base::base, base::g, base::given, base::gradient, base::p, base::when;

    int users[N]{};

    constexpr int find_product(op kind, int a, int b, bool grouped = false) const {
        for (int i = given; i < g.size() && a >= 0; ++i)
            if (g[i].kind == kind && g[i].a == a && g[i].b == b && g[i].grouped == grouped)
                return i;
        return -1;
    }
    constexpr int transpose_of(int product) const {
        return find_product(op::product_transposed, gradient[product], g[product].b);
    }
    constexpr int outer_of(int product) const {
        return gradient[product] < 0
                   ? -1
                   : find_product(op::outer, g[product].a, gradient[product], g[g[product].b].grouped);
    }

    // Forward: one left operand, one phase, one product over adjacent columns.

    /// A dense product reads adjacent columns; side by side with others the columns of a grouped product are
    /// cut into groups.
    constexpr bool stands_alone(int product) const {
        bool alone = false;
        for (int i = product + 1; i < g.size() && g[g[product].b].grouped; ++i)
            alone = alone || (g[i].kind == op::product && g[i].a == product && !g[g[i].b].grouped);
        return alone;
    }

    constexpr void pack_products() {
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind != op::product || !p.live[i])
                continue;
            bool const grouped = g[g[i].b].grouped;
            int chosen = -1;
            for (int k = 0; k < p.packs.size() && !stands_alone(i); ++k)
                if (p.packs[k].left == g[i].a && p.packs[k].grouped == grouped &&
                    when[p.packs[k].products[0]] == when[i] && !stands_alone(p.packs[k].products[0]))
                    chosen = k;
            if (chosen < 0)
                chosen = p.packs.push_back({.left = g[i].a, .grouped = grouped});
            p.packs[chosen].products.push_back(i);
        }
        for (int k = 0; k < p.packs.size(); ++k) {
            auto const& pack = p.packs[k];
            int const at =
                p.panels.push_back({.members = members_of(pack.products), .grouped = pack.grouped});
            for (int m = 0; m < pack.products.size(); ++m)
                p.homes[pack.products[m]].push_back({at, m});
            p.products.push_back({.kind = op::product,
                                  .computes = pack.products,
                                  .left = pack.left,
                                  .result = {at, 0},
                                  .pack = k,
                                  .count = pack.products.size()});
        }
    }

    static constexpr fixed_vector<int, P + 1> members_of(fixed_vector<int, P> const& nodes) {
        fixed_vector<int, P + 1> members;
        for (int i : nodes)
            members.push_back(i);
        return members;
    }

    // Backward: the transposes of one pack, and its outer products, if their gradients stand side by side.

    constexpr void count_users() {
        for (int i = given; i < g.size(); ++i)
            for (int o : g[i].operands())
                if (o >= 0)
                    ++users[o];
        for (definition const& d : g.results)
            ++users[d.at];
    }

    /// The sum that node i is a part of, and of whose partial sums nobody else reads one.
    constexpr int root_of_sum(int i) const {
        for (int j = i + 1; j < g.size() && users[i] == 1; ++j) {
            bool const added = g[j].kind == op::add && (g[j].a == i || g[j].b == i);
            if (added || (g[j].kind == op::subtract && g[j].a == i))
                i = j;
            else if (g[j].a == i || g[j].b == i)
                break;
        }
        return i;
    }

    /// Whether the transposes of a pack are parts of one sum, so that one product gives them all.
    constexpr bool transposes_merge(weight_pack<P> const& pack) const {
        int root = -1;
        for (int product : pack.products) {
            int const transposed = transpose_of(product);
            if (transposed < 0 || users[transposed] != 1)
                return false;
            int const here = root_of_sum(transposed);
            if (root >= 0 && here != root)
                return false;
            root = here;
        }
        return true;
    }

    constexpr void merge_products() {
        for (int k = 0; k < p.packs.size(); ++k) {
            auto const& pack = p.packs[k];
            bool whole = true;
            for (int product : pack.products)
                whole = whole && gradient[product] >= 0;
            int const all = pack.products.size();
            int const transposes = whole && transposes_merge(pack) ? all : 1;
            for (int m = 0; m < all; m += transposes)
                add_transposed(k, m, transposes);
            int const outers = whole ? all : 1;
            for (int m = 0; m < all; m += outers)
                add_outer(k, m, outers);
        }
        base::find_same();
    }

    constexpr void add_transposed(int k, int first, int count) {
        int leader = -1; // the last in order, behind all gradients
        for (int m = 0; m < count; ++m)
            if (int const at = transpose_of(p.packs[k].products[first + m]); at > leader)
                leader = at;
        if (leader < 0 || !p.homes[leader].empty())
            return;
        for (int m = 0; m < count; ++m)
            if (int const at = transpose_of(p.packs[k].products[first + m]); at != leader)
                p.absorbed[at] = true;
        planned_product<P> merged{.kind = op::product_transposed,
                                  .operand = side_by_side(k, first, count),
                                  .result = {own_panel(leader), 0},
                                  .pack = k,
                                  .first = first,
                                  .count = count};
        merged.computes.push_back(leader);
        sum_of_leader(leader, p.products.push_back(merged));
    }
    constexpr void sum_of_leader(int leader, int product) { base::sum_of[leader] = product + 1; }

    constexpr void add_outer(int k, int first, int count) {
        planned_product<P> merged{
            .kind = op::outer, .left = p.packs[k].left, .pack = k, .first = first, .count = count};
        for (int m = 0; m < count; ++m) {
            int const at = outer_of(p.packs[k].products[first + m]);
            if (at < 0)
                return;
            if (p.matrix_homes[at].product < 0)
                p.matrix_homes[at] = {p.products.size(), m};
            merged.computes.push_back(at);
        }
        merged.operand = side_by_side(k, first, count);
        p.products.push_back(merged);
    }

    constexpr void add_column_sums() {
        for (int i = given; i < g.size(); ++i)
            if (g[i].kind == op::column_sum) {
                planned_product<P> sum{.kind = op::column_sum, .left = base::canon(g[i].a)};
                sum.computes.push_back(i);
                sum.result = {own_panel(i), 0};
                p.panels[sum.result.panel].single_row = true;
                p.products.push_back(sum);
            }
    }

    constexpr int own_panel(int i) {
        int const at = p.panels.push_back({});
        p.panels[at].members.push_back(i);
        p.homes[i].push_back({at, 0});
        return at;
    }

    /// The gradients of some products of a pack in one panel, made if there is none.
    constexpr home side_by_side(int k, int first, int count) {
        fixed_vector<int, P + 1> members;
        for (int m = 0; m < count; ++m)
            members.push_back(gradient[p.packs[k].products[first + m]]);
        for (int at = 0; at < p.panels.size(); ++at) {
            panel<P> const& there = p.panels[at];
            if (there.grouped != p.packs[k].grouped || !there.of_gradients)
                continue;
            for (int from = 0; from + count <= there.members.size(); ++from) {
                bool same = true;
                for (int m = 0; m < count; ++m)
                    same = same && there.members[from + m] == members[m];
                if (same)
                    return {at, from};
            }
        }
        return {p.panels.push_back({.members = members, .grouped = p.packs[k].grouped, .of_gradients = true}),
                0};
    }

    /// Sums that lost an operand have another name now.
    constexpr void rename_members() {
        for (panel<P>& there : p.panels)
            for (int& member : there.members)
                member = base::canon(member);
    }
};

} // namespace sluice::detail
