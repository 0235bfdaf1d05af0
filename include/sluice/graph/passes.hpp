// SPDX-License-Identifier: BSL-1.0
// All passes over the equations of a page, in their order; each is a constant. Templates take the *page*,
// whose name is short, and read the constants here, so that neither a graph nor an equation stands in a
// type's name.
#pragma once

// First, so that a refusal is printed with the shortest list of headers in front of it.
#include <sluice/core/refuse.hpp>

#include <sluice/graph/block.hpp>
#include <sluice/graph/differentiate.hpp>
#include <sluice/graph/flatten.hpp>
#include <sluice/graph/parameters.hpp>
#include <sluice/graph/plan/storage.hpp>
#include <sluice/graph/print.hpp>
#include <sluice/graph/resolve.hpp>
#include <sluice/graph/shape.hpp>

namespace sluice {

/// The least graph that the passes behind a refusal can go on with.
template <std::size_t N>
constexpr graph<N> output_is_input() {
    graph<N> g;
    g.add({.kind = op::input, .index = g.intern(std::string_view("x")), .columns = symbol::input});
    g.results.push_back({.kind = role::output, .at = 0});
    return g;
}

/// What the compiler makes of the equations before any number is known. What is wrong with them stops
/// compilation here, with a sentence that names the gate.
template <page Page>
struct passes {
    using equations_type = std::remove_cv_t<decltype(Page::equations)>;
    using activations = activations_of<equations_type>;

    static constexpr auto checked = give_shapes(resolve(flatten(Page::equations)));
    static constexpr problem trouble = checked.shaped.trouble;
    static_assert(sizeof(refusal<trouble>) > 0);
    /// Behind a refusal only `output = x` is left, so that no second error follows the first.
    static constexpr auto valid =
        trouble ? output_is_input<decltype(checked.shaped)::capacity>() : checked.shaped;
    static constexpr auto graph = resize<size_of(valid)>(valid);
    static constexpr auto parameters = list_parameters(graph);
    static constexpr auto states = list_states(graph);
    static constexpr auto settings = list_settings(graph);
    static constexpr width input = input_width(graph);
    static constexpr width output = graph.results[0].at < 0 ? width{} : graph[graph.results[0].at].columns;

    /// The node of the next value of state k; result 0 is the output.
    static constexpr int next_of(int k) { return graph.results[k + 1].at; }
};

/// The gradient of the equations, and what has to be done to run them in both directions.
template <page Page>
struct plans {
    using first = passes<Page>;

    static constexpr auto rules = derivative_rules(typename first::activations{});
    static constexpr auto wide = differentiate<gradient_room(first::graph, rules)>(first::graph, rules);
    static constexpr auto gradient = [] {
        constexpr std::size_t size = size_of(wide.whole);
        gradient_graph<size> exact;
        exact.whole = resize<size>(wide.whole);
        exact.given = wide.given;
        for (std::size_t i = 0; i < size; ++i)
            exact.gradient[i] = wide.gradient[i];
        return exact;
    }();
    static constexpr std::size_t products = count_products(first::graph);
    static constexpr auto packs = plan_forward<products>(first::graph).packs;
    static constexpr auto backward = plan_backward<count_products(gradient.whole)>(gradient, packs);
    static constexpr auto forward = plan_forward<products>(first::graph, backward.saved);

    /// The node of the gradient of a leaf.
    static constexpr int gradient_of(int leaf) {
        for (definition const& d : gradient.whole.results)
            if (d.of == leaf)
                return d.at;
        return -1;
    }
    /// The seed of a result, or -1 where no gradient needs it.
    static constexpr int seed_of(int result) {
        for (int i = gradient.given; i < gradient.whole.size(); ++i)
            if (gradient.whole[i].kind == op::seed && gradient.whole[i].index == result)
                return i;
        return -1;
    }
};

/// How many numbers are trained; a constant expression. Throws `std::invalid_argument` for sizes that the
/// equations cannot have.
template <page Page>
constexpr std::size_t parameter_count(sizes const& n) {
    if (problem const p = check_sizes(passes<Page>::checked, n))
        throw std::invalid_argument(describe(p, n));
    std::size_t count = 0;
    for (parameter_entry const& e : passes<Page>::parameters)
        count += e.count(n);
    return count;
}

namespace detail {
template <class Page, notation How>
inline constexpr auto printed =
    print_equations<How, typename passes<Page>::activations, terms<typename passes<Page>::equations_type>>(
        passes<Page>::graph);
template <class Page>
inline constexpr auto printed_graph = print_dot<typename passes<Page>::activations>(passes<Page>::graph);
} // namespace detail

/// The equations as they were written, as text or LaTeX: `print<mgu>()`, `print<mgu, notation::latex>()`.
template <page Page, notation How = notation::text>
constexpr auto print() {
    return detail::printed<Page, How>;
}

/// The graph in Graphviz's DOT language.
template <page Page>
constexpr auto print_graph() {
    return detail::printed_graph<Page>;
}

} // namespace sluice
