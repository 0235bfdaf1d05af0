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
        rules.push_back({g, at});
    };
    (add(E{}), ...);
    return rules;
}

} // namespace detail

/// The derivatives of each operation, as graphs.
template <class... F>
constexpr derivative_rules_table derivative_rules(operation_list<F...>) {
    derivative_rules_table table;
    (table.push_back(detail::rules_of<operation_list<F...>>(detail::derivatives<F>{})), ...);
    return table;
}

} // namespace sluice
