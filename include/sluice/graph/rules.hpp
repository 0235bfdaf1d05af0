// SPDX-License-Identifier: BSL-1.0
// The derivatives of the table of operations, as graphs: what differentiation copies into its own.
#pragma once

#include <sluice/graph/flatten.hpp>
#include <sluice/graph/resolve.hpp>

namespace sluice {

/// The derivative of a function with respect to one operand: `graph` node `at`, which needs nodes from
/// [first, at] only. Of those an input of order 0, 1, ... stands for an operand, and one of the order that is the
/// number of operands for the value of the function.
struct derivative_rule {
    int first = 0;
    int at = -1;
};

template <template <class> class List>
struct basic_rules {
    using view_type = basic_rules<view>;

    basic_graph<List> g{};
    List<derivative_rule> each{}; ///< function by function, operand by operand
    List<int> first{};            ///< function -> its first in `each`

    constexpr basic_rules() = default;
    constexpr explicit basic_rules(problem const& p) : g(p) {}
    constexpr auto lists() { return std::tuple_cat(g.lists(), std::tie(each, first)); }
    constexpr problem facts() const { return g.facts(); }

    constexpr derivative_rule const& of(int function, int operand) const {
        return each[first[function] + operand];
    }
};
using rules = basic_rules<list>;
using rules_view = basic_rules<view>;

namespace detail {

/// Appends the nodes of one rule, so that they lie together.
template <class Operations, class E>
constexpr void append_rule(rules& r, E) {
    graph one;
    int const at = flattener<Operations>{one}(E{});
    int const first = r.g.nodes.size();
    for (int i = 0; i <= at; ++i) {
        node n = one[i];
        n.first = r.g.operands.size();
        n.owner = -1;
        n.next = -1;
        for (int o : one.operands_of(i))
            r.g.operands.push_back(first + o);
        r.g.nodes.push_back(n);
    }
    r.each.push_back({first, first + at});
}

template <class Operations, class... E>
constexpr void append_rules(rules& r, equation::each_term<E...>) {
    r.first.push_back(r.each.size());
    (append_rule<Operations>(r, E{}), ...);
}

} // namespace detail

/// The derivatives of a list of operations.
template <class... F>
constexpr rules derivative_rules(operation_list<F...>) {
    rules r;
    (detail::append_rules<operation_list<F...>>(r, detail::derivatives<F>{}), ...);
    return r;
}

} // namespace sluice
