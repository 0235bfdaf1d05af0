// SPDX-License-Identifier: BSL-1.0
// A graph whose shapes are known (graph/shape.hpp), and the equal widths that are checked with the sizes.
#pragma once

#include <sluice/graph/graph.hpp>

namespace sluice {

/// Two widths that must be the same number of features, met in that gate: checked when the sizes are known.
struct width_constraint {
    int left = -1; ///< widths of the graph
    int right = -1;
    int owner = -1;           ///< definition
    int about = -1;           ///< name
    bool elementwise = false; ///< in a function of features, not in a product
};

/// A graph with its shapes, and what is left to check.
struct shaped_view {
    graph_view shaped{};
    view<width_constraint> constraints{};

    constexpr shaped_view() = default;
    constexpr explicit shaped_view(problem const& p) : shaped(p) {}
    template <class F>
    constexpr decltype(auto) lists(F&& f) {
        return shaped.lists([&](auto&... each) -> decltype(auto) { return f(each..., constraints); });
    }
    constexpr problem facts() const { return shaped.facts(); }
};
struct shaped_graph {
    using view_type = shaped_view;

    graph shaped{};
    list<width_constraint> constraints{};

    constexpr explicit shaped_graph(graph_view const& resolved) : shaped(resolved) {}
    template <class F>
    constexpr decltype(auto) lists(F&& f) {
        return shaped.lists([&](auto&... each) -> decltype(auto) { return f(each..., constraints); });
    }
    constexpr problem facts() const { return shaped.facts(); }
};

} // namespace sluice
