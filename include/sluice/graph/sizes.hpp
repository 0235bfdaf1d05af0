// SPDX-License-Identifier: BSL-1.0
// What the numbers of a cell have wrong for its equations: one function, at compile time and at run time.
#pragma once

#include <sluice/graph/shape.hpp>

namespace sluice {
namespace detail {

struct size_checker {
    shaped_view const& checked;
    sizes const& given;
    bool complete;
    graph_view const& g = checked.shaped;
    list<std::size_t> extents{}; ///< of each width; of a sum at most as many as an array can have

    constexpr width word(int w) const {
        return g.widths[w].is_product() ? width(symbol::matrix, extents[w])
               : g.widths[w].count > 0  ? width(symbol::sum, extents[w])
                                        : g.widths[w].one;
    }
    constexpr problem about(int i, reason why, int left, int right) const {
        return {why, g.owner(i), g[i].index < 0 ? name{} : g.names[g[i].index], word(left), word(right)};
    }

    /// A sum of which a part is not known yet is not known either.
    [[gnu::cold]] constexpr void measure() {
        for (int w = 0; w < g.widths.size(); ++w) {
            width_entry const& e = g.widths[w];
            extents.push_back(e.is_product() ? product(e)
                              : e.count > 0  ? static_cast<std::size_t>(e.plus)
                                             : extent(e.one, given));
            for (width_part const& p : g.widths[w].count > 0 ? g.parts_of(w) : view<width_part>{}) {
                std::size_t const one = extents[p.symbol], times = static_cast<std::size_t>(p.times);
                if (one == 0) {
                    extents[w] = 0;
                    break;
                }
                extents[w] =
                    one > (most_numbers - extents[w]) / times ? most_numbers : extents[w] + times * one;
            }
        }
    }
    /// Where its groups do not divide it, some number; `groups` refuses that.
    constexpr std::size_t product(width_entry const& e) const {
        std::size_t const groups = e.groups < 0 ? 1 : extents[e.groups];
        auto const count = count_of({groups == 0 ? 0 : extents[e.rows] / groups, extents[e.columns]});
        return count ? *count : most_numbers;
    }
    /// Among the symbols of width w one that is zero, or -1.
    constexpr int zero_in(int w) const {
        if (w < 0)
            return -1;
        if (width_entry const& e = g.widths[w]; e.is_product()) {
            for (int of : {e.rows, e.columns, e.groups})
                if (int const zero = zero_in(of); zero >= 0)
                    return zero;
            return -1;
        }
        if (g.widths[w].count == 0)
            return extents[w] == 0 ? w : -1;
        for (width_part const& p : g.parts_of(w))
            if (extents[p.symbol] == 0)
                return p.symbol;
        return -1;
    }

    constexpr bool is_groups(int w) const { return g.widths[w].one.kind == symbol::groups; }

    constexpr problem missing(int i) const {
        for (int w : {g[i].shape.columns, g[i].shape.rows, g[i].from, g[i].shape.groups})
            if (int const zero = zero_in(w); zero >= 0 && !is_groups(zero)) {
                width const& one = g.widths[zero].one;
                bool const of_input =
                    g[i].kind == op::input && one.kind == symbol::own && one.called == g.names[g[i].index];
                return {.why = of_input ? reason::input_size_missing : reason::size_missing,
                        .gate = g.owner(i),
                        .about = name_of(one)};
            }
        return {};
    }
    constexpr problem groups(int i) const {
        int groups = g[i].kind == op::reduce_groups ? g[i].groups : g[i].shape.groups;
        int columns = g[i].shape.columns, rows = g[i].shape.rows;
        if (g.is_matrix_value(i)) {
            groups = g.widths[columns].groups;
            rows = g.widths[columns].rows;
            columns = g.widths[columns].columns;
        } else if (g[i].kind == op::repeat)
            groups = g[i].groups; // of a number for each of them
        if (groups < 0 || (extents[groups] == 0 && !is_groups(groups)))
            return {};
        for (int w : {columns, rows})
            if (w >= 0 && (extents[groups] == 0 || extents[w] % extents[groups] != 0))
                return {reason::groups_do_not_divide, g.owner(i),
                        g[i].index < 0 ? name{} : g.names[g[i].index], word(w), width(extents[groups])};
        return {};
    }
    constexpr problem slice(int i) const {
        int const whole = g[g.operand(i)].shape.columns, from = g[i].from, part = g[i].shape.columns;
        bool const known =
            complete || (extents[whole] > 0 && extents[part] > 0 && (from < 0 || extents[from] > 0));
        if (!known || fits(from < 0 ? 0 : extents[from], extents[part], extents[whole]))
            return {};
        return {reason::slice_beyond, g.owner(i), {}, word(part), word(whole)};
    }
    /// A matrix value has a place; all parameters are kept, and their gradients, side by side.
    constexpr problem memory() const {
        std::size_t total = 0;
        for (int i = 0; i < g.size(); ++i)
            if (int const w = g[i].shape.columns; g.is_matrix_value(i) && extents[w] == most_numbers)
                return about(i, reason::sizes_too_large, g.widths[w].rows, g.widths[w].columns);
        for (int i = 0; i < g.size() && is_leaf(g[i].kind); ++i) {
            axes const& s = g[i].shape;
            if (g[i].kind != op::parameter)
                continue;
            auto const count =
                count_of({s.is_matrix() ? extents[s.rows] : 1, s.has_features() ? extents[s.columns] : 1});
            if (!count || *count > most_numbers - total)
                return about(i, reason::sizes_too_large, s.is_matrix() ? s.rows : s.columns, s.columns);
            total += *count;
        }
        return {};
    }
    constexpr problem constraint(width_constraint const& c) const {
        bool const known = complete || (extents[c.left] > 0 && extents[c.right] > 0);
        if (!known || extents[c.left] == extents[c.right])
            return {};
        bool const one = c.elementwise &&
                         (word(c.left) == width(std::size_t(1)) || word(c.right) == width(std::size_t(1)));
        return {one ? reason::one_feature : reason::mismatched_widths,
                c.owner < 0 ? name{} : g.names[g.definitions[c.owner].called],
                c.about < 0 ? name{} : g.names[c.about], word(c.left), word(c.right)};
    }
    constexpr problem unused() const {
        auto const uses = [&](width const& w) {
            for (width_entry const& e : g.widths)
                if (e.count == 0 && e.one == w)
                    return true;
            return false;
        };
        problem p{.why = reason::size_unused};
        p.about = std::string_view("projection");
        if (given.projection != 0 && !uses(symbol::projection))
            return p;
        p.about = std::string_view("groups");
        if (given.groups != 1 && !uses(symbol::groups))
            return p;
        for (own_size const& own : given.own) {
            p.about = own.called;
            if (!uses(width{symbol::own, 0, own.called}))
                return p;
        }
        return {};
    }

    [[gnu::cold]] constexpr problem run() {
        measure();
        for (int i = 0; i < g.size(); ++i) {
            if (problem const p = complete ? missing(i) : problem{})
                return p;
            if (problem const p = groups(i))
                return p;
        }
        for (int i = 0; i < g.size(); ++i)
            if (problem const p = g[i].kind == op::slice ? slice(i) : problem{})
                return p;
        if (problem const p = memory())
            return p;
        for (width_constraint const& c : checked.constraints)
            if (problem const p = constraint(c))
                return p;
        return unused();
    }
};

} // namespace detail

/// What the numbers of a cell have wrong for these equations. Where they are not `complete`, a zero is a
/// number that is not known yet. Equations that are refused already have nothing else wrong: their widths may
/// be unknown.
constexpr problem check_sizes(shaped_view const& checked, sizes const& given, bool complete = true) {
    if (checked.shaped.trouble)
        return {};
    return detail::size_checker{checked, given, complete}.run();
}

} // namespace sluice
