// SPDX-License-Identifier: BSL-1.0
// heads: whether the heads of a cell have nothing to do with each other. Some of them are then a cell of
// fewer units by themselves. Of the gated delta rule, 256 units in 4 heads, the last two are the same cell of
// 128 units in 2 heads:
//
//   W_q, W_k, W_v [input, units]    columns [128, 256)        S [B, units x units / groups]    heads 2 and 3
//   W_b, W_a [input, groups]        columns 2 and 3           output [B, units]                [128, 256)
//
// A width is divided where it is the number of heads of a state that is a matrix for each head, or that of
// the rows or columns of these matrices: so many numbers of the first head, as many of the next. All else,
// such as the input and what is made of it alone, is the same for all heads. Heads depend on each other where
// numbers of several come together: in a product whose left side is divided, and in a sum over divided
// features that is not one for each head.
#pragma once

#include <sluice/graph/graph.hpp>

namespace sluice {

/// The widths that the heads of a graph divide.
struct head_widths {
    list<bool> divided{};
    int heads = no_axis; ///< how many there are; no_axis: none that are independent

    constexpr bool is_divided(int w) const { return w >= 0 && divided[w]; }
};

namespace detail {

struct head_finder {
    graph_view g;
    head_widths found{};

    /// Divided features, as many for each head.
    constexpr bool is_divided(int w) const { return found.is_divided(w); }
    /// Nothing in it is divided.
    constexpr bool is_whole(int w) const {
        if (w < 0)
            return true;
        width_entry const& e = g.widths[w];
        bool whole = !found.divided[w] &&
                     (!e.is_product() || (is_whole(e.rows) && is_whole(e.columns) && is_whole(e.groups)));
        for (width_part const& p : g.parts_of(w))
            whole = whole && is_whole(p.symbol);
        return whole;
    }
    constexpr int columns(int i) const { return g[i].shape.columns; }

    constexpr bool find_widths() {
        found.divided.resize(g.widths.size());
        for (int i = 0; i < g.size(); ++i) {
            if (g[i].kind != op::state || !g.is_matrix_value(i))
                continue;
            width_entry const& e = g.widths[columns(i)];
            if (e.groups < 0 || (found.heads >= 0 && found.heads != e.groups))
                return false;
            found.heads = e.groups;
            for (int w : {e.rows, e.columns, e.groups}) {
                symbol const kind = g.width_of(w).kind;
                if (g.widths[w].count > 0 || (kind != symbol::units && kind != symbol::projection &&
                                              kind != symbol::groups && kind != symbol::own))
                    return false;
                found.divided[w] = true;
            }
        }
        for (int w = 0; w < g.widths.size(); ++w)
            if (width_entry const& e = g.widths[w]; e.is_product() && found.heads >= 0)
                found.divided[w] = e.groups == found.heads && is_divided(e.rows) && is_divided(e.columns);
        return found.heads >= 0;
    }
    /// Operands and result are all divided, or none of them is.
    constexpr bool are_alike(int i) const {
        bool whole = is_whole(columns(i)), divided = is_divided(columns(i));
        for (int o : g.operands_of(i)) {
            whole = whole && is_whole(columns(o));
            divided = divided && is_divided(columns(o));
        }
        return (whole && is_whole(g[i].groups)) || (divided && g[i].groups == found.heads);
    }
    /// Whether it is one of the matrices that stand side by side, or of the products with them.
    constexpr bool is_one_of_several(int slice) const {
        int const of = g.operand(slice), from = g[of].kind == op::product ? g.operand(of, 1) : of;
        linear_form wanted, before;
        wanted.add(g, g[slice].from, 1);
        if (g[from].kind != op::concat || g[from].groups != no_axis || g[slice].groups != no_axis)
            return false;
        for (int o : g.operands_of(from)) {
            if (before == wanted && columns(o) == columns(slice))
                return true;
            before.add(g, columns(o), 1);
        }
        return false;
    }
    constexpr bool is_all_whole(int i) const {
        bool whole = is_whole(columns(i)) && is_whole(g[i].groups) && is_whole(g[i].shape.rows) &&
                     is_whole(g[i].shape.groups);
        for (int o : g.operands_of(i))
            whole = whole && is_whole(columns(o)) && is_whole(g[o].shape.rows) && is_whole(g[o].shape.groups);
        return whole;
    }
    /// Whether a matrix of weights falls into columns of each head, or several that do stand side by side.
    constexpr bool is_matrix_apart(int i) const {
        node const& n = g[i];
        if (!is_whole(n.shape.rows) || n.shape.groups != no_axis)
            return false;
        return n.kind == op::parameter ? is_divided(columns(i))
               : n.kind == op::concat  ? n.groups == no_axis
                                       : n.kind == op::slice && is_one_of_several(i);
    }
    constexpr bool is_apart(int i) const {
        node const& n = g[i];
        if (is_all_whole(i))
            return n.kind != op::outer && n.kind != op::total;
        if (n.shape.is_matrix())
            return is_matrix_apart(i);
        switch (n.kind) {
        case op::state:
        case op::parameter:
        case op::zero:
            return is_divided(columns(i));
        case op::pointwise:
        case op::spread: {
            bool as_wide = is_divided(columns(i));
            for (int o : g.operands_of(i))
                as_wide = as_wide && (columns(o) == no_axis || columns(o) == columns(i));
            return as_wide;
        }
        case op::features:
            return is_divided(columns(g.operand(i))) && n.groups == found.heads;
        case op::reduce_groups:
        case op::repeat:
        case op::fold:
            return are_alike(i);
        case op::product: // no rows of its matrix are divided
            return true;
        case op::slice:
            return is_one_of_several(i);
        default:
            return false;
        }
    }
    constexpr bool are_independent() {
        bool all = find_widths() && !g.results.empty() && is_divided(columns(g.results[0].at));
        list<bool> is_read(g.size());
        for (definition const& d : g.results)
            is_read[d.at] = true;
        for (int i = g.size() - 1; i >= 0 && all; --i)
            if (is_read[i]) {
                all = is_apart(i);
                for (int o : g.operands_of(i))
                    is_read[o] = true;
            }
        return all;
    }
};

} // namespace detail

/// Of a graph that is to be run forward.
constexpr head_widths find_heads(graph_view g) {
    detail::head_finder finder{g};
    if (!finder.are_independent())
        return {};
    return std::move(finder.found);
}

/// Whether there are heads that have nothing to do with each other.
constexpr bool has_independent_heads(graph_view g) {
    detail::head_finder finder{g};
    return finder.are_independent();
}

/// The sizes of a cell that is so many of the heads of another one.
constexpr sizes sizes_of_heads(graph_view g, head_widths const& of, sizes const& all, std::size_t count) {
    sizes n = all;
    std::size_t const heads = g.extent(of.heads, all);
    for (int w = 0; w < g.widths.size(); ++w) {
        if (!of.divided[w] || g.widths[w].is_product() || heads == 0)
            continue;
        std::size_t const part = g.extent(w, all) / heads * count;
        switch (width const& word = g.widths[w].one; word.kind) {
        case symbol::units:
            n.units = part;
            break;
        case symbol::projection:
            n.projection = part;
            break;
        case symbol::groups:
            n.groups = part;
            break;
        default:
            if (std::size_t const k = n.own.find(word.called); k < n.own.count)
                n.own.items[k].features = part;
        }
    }
    return n;
}

} // namespace sluice
