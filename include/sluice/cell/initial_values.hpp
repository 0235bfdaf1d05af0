// SPDX-License-Identifier: BSL-1.0
// The struct of a page that says how its parameters start (expr/page.hpp), and a rule that knows no page.
//
//   sluice::cell<my_page> cell({.input = 3, .units = 5}, sluice::seed{7}, {.gain = 0.5});
#pragma once

#include <sluice/core/extents.hpp>
#include <sluice/expr/page.hpp>

namespace sluice {

/// The start of a parameter, as the struct of a page says it.
struct start_rule {
    void const* how;
    start (*call)(void const* how, parameter_role const&, sizes const&);
    bool gives_fixed; ///< also the values of what is never trained
};

namespace detail {

struct default_initial_values {
    start operator()(parameter_role const& p, sizes const&) const { return default_start(p); }
};

template <class Page>
concept has_initial_values = requires {
    typename Page::initial_values;
};

template <class Page>
struct initial_values_of {
    using type = default_initial_values;
};
template <has_initial_values Page>
struct initial_values_of<Page> {
    using type = typename Page::initial_values;
};

/// `how` outlives the rule.
template <class Page, class Starts>
start_rule rule_of(Starts const& how) {
    auto const call = [](void const* rule, parameter_role const& entry, sizes const& n) -> start {
        return (*static_cast<Starts const*>(rule))(entry, n);
    };
    return {&how, call, has_initial_values<Page>};
}

} // namespace detail
} // namespace sluice
