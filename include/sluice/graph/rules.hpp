// SPDX-License-Identifier: BSL-1.0
// The derivatives of the table of operations, as graphs: what differentiation copies into its own.
#pragma once

#include <sluice/graph/flatten.hpp>

namespace sluice {
namespace detail {

template <class Operations, class... E>
constexpr list<derivative_rule> rules_of(equation::each_term<E...>) {
    list<derivative_rule> rules;
    auto const add = [&](auto e) {
        graph g;
        int const at = flattener<Operations>{g}(e);
        rules.push_back({static_cast<graph&&>(g), at});
    };
    (add(E{}), ...);
    return rules;
}

/// Of those that are wanted; none of the others.
template <class... F>
constexpr derivative_rules_table rules_of(operation_list<F...>, list<bool> const& wanted) {
    derivative_rules_table table;
    int function = 0;
    auto const add = [&](auto derivatives_of_function) {
        list<derivative_rule> rules;
        if (wanted[function++])
            rules = rules_of<operation_list<F...>>(derivatives_of_function);
        table.push_back(static_cast<list<derivative_rule>&&>(rules));
    };
    (add(derivatives<F>{}), ...);
    return table;
}

} // namespace detail

/// The derivatives of each operation, as graphs.
template <class... F>
constexpr derivative_rules_table derivative_rules(operation_list<F...> all) {
    return detail::rules_of(all, list<bool>(sizeof...(F), true));
}
/// The same of operations that occur in g; none of the others.
template <class... F>
constexpr derivative_rules_table derivative_rules(operation_list<F...> all, graph_view g) {
    list<bool> occurs(sizeof...(F));
    for (node const& n : g.nodes)
        if (n.function >= 0)
            occurs[n.function] = true;
    return detail::rules_of(all, occurs);
}

} // namespace sluice
