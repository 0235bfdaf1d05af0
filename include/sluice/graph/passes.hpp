// SPDX-License-Identifier: BSL-1.0
// All passes over the equations of a page, in their order; each is a constant. Templates take the *page*,
// whose name is short, and read the constants here, so that neither a graph nor an equation stands in a
// type's name.
#pragma once

// First, so that a refusal is printed with the shortest list of headers in front of it.
#include <sluice/core/refuse.hpp>
#include <sluice/expr/term.hpp>

#include <sluice/core/constant_of.hpp>
#include <sluice/graph/entries.hpp>
#include <sluice/graph/expand.hpp>
#include <sluice/graph/flatten.hpp>
#include <sluice/graph/print/print.hpp>
#include <sluice/graph/remains.hpp>
#include <sluice/graph/resolve.hpp>
#include <sluice/graph/rules.hpp>
#include <sluice/graph/shape.hpp>
#include <sluice/graph/sizes.hpp>

namespace sluice {
/// What the compiler makes of the equations before any number is known. What is wrong with them stops
/// compilation here, with a sentence that names the gate.
template <page Page>
struct passes {
    using equations_type = std::remove_cv_t<decltype(Page::equations)>;
    using operations = operations_of<equations_type>;

    static constexpr auto flat() { return flatten<operations>(equations_type{}); }
    struct shaped {
        static constexpr auto make() {
            auto const flattened = flat();
            auto const resolved = resolve(view_of(flattened));
            return give_shapes(view_of(resolved));
        }
    };
    struct expanded {
        static constexpr auto make() {
            return expand(constant_of<shaped>::value, derivative_rules(operations{}));
        }
    };
    static constexpr problem trouble = constant_of<shaped>::value.shaped.trouble;
    static_assert(sizeof(refusal<trouble>) > 0);
    struct remains {
        static constexpr auto make() {
            auto const flattened = flat();
            return remains_of(view_of(flattened), trouble);
        }
    };
    /// After a refusal only what remains, so that no second error follows the first.
    template <class Made>
    using unless_refused = constant_of<std::conditional_t<bool(trouble), remains, Made>>;
    /// As it was written, for print.
    static constexpr graph_view written = unless_refused<shaped>::value.shaped;
    static constexpr shaped_view checked =
        unless_refused<std::conditional_t<has_derivative(written), expanded, shaped>>::value;
    static constexpr graph_view graph = checked.shaped;

    struct listed {
        static constexpr auto make() { return list_entries(graph); }
    };
    static constexpr basic_entries<view> entries = constant_of<listed>::value;
    static constexpr view<parameter_entry> parameters = entries.parameters;
    static constexpr view<input_entry> inputs = entries.inputs;
    static constexpr view<state_entry> states = entries.states;
    static constexpr view<setting_entry> settings = entries.settings;
    static constexpr graph_width output = entries.output;
    /// The width of the first input; of equations without one, that of x.
    static constexpr width input = inputs.empty() ? width(symbol::input) : inputs[0].columns.word();
};

namespace detail {

template <page Page>
constexpr std::size_t count_parameters(sizes const& n, bool fixed_too) {
    if (problem const p = check_sizes(passes<Page>::checked, n))
        throw std::invalid_argument(describe(p, n));
    std::size_t count = 0;
    for (parameter_entry const& e : passes<Page>::parameters)
        count += e.trained || fixed_too ? e.count(n) : 0;
    return count;
}

} // namespace detail

/// How many numbers are trained; a constant expression. Throws `std::invalid_argument` for sizes that the
/// equations cannot have.
template <page Page>
constexpr std::size_t parameter_count(sizes const& n) {
    return detail::count_parameters<Page>(n, false);
}
/// The same with the fixed ones: what a map of the parameters holds.
template <page Page>
constexpr std::size_t arena_size(sizes const& n) {
    return detail::count_parameters<Page>(n, true);
}

namespace detail {
template <class Page, notation How>
struct printed_equations {
    static constexpr auto make() {
        if constexpr (How == notation::expanded)
            return print_equations(passes<Page>::graph, {}, How);
        else
            return print_equations(passes<Page>::written, How);
    }
};
template <class Page>
struct printed_dot {
    static constexpr auto make() { return print_dot(passes<Page>::graph); }
};

} // namespace detail

/// The equations as they were written, as text or LaTeX: `print<mgu>()`, `print<mgu, notation::latex>()`.
template <page Page, notation How = notation::text>
constexpr auto print() {
    return constant_of<detail::printed_equations<Page, How>>::value;
}

/// The graph in Graphviz's DOT language.
template <page Page>
constexpr auto print_graph() {
    return constant_of<detail::printed_dot<Page>>::value;
}

} // namespace sluice
