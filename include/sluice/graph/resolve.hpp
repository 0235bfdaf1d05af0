// SPDX-License-Identifier: BSL-1.0
// resolve: from names to nodes. References become the nodes they name; what is unknown, defined twice, never
// updated, never used, or defined through itself is refused. Leaves come first, in the order of writing.
#pragma once

#include <sluice/graph/graph.hpp>

namespace sluice {
namespace detail {

template <std::size_t N>
struct resolver {
    graph<N> const& raw;
    graph<N> g{};
    int built[N == 0 ? 1 : N]{};    ///< raw node -> node, or -1
    bool in_work[N == 0 ? 1 : N]{}; ///< definitions being resolved

    constexpr explicit resolver(graph<N> const& source) : raw(source) {
        g.names = raw.names;
        g.definitions = raw.definitions;
        g.trouble = raw.trouble;
        for (int& i : built)
            i = -1;
        for (definition& d : g.definitions)
            d.at = -1;
    }

    constexpr int find(role kind, int called) const {
        for (int d = 0; d < raw.definitions.size(); ++d)
            if (raw.definitions[d].kind == kind && raw.definitions[d].called == called)
                return d;
        return -1;
    }

    constexpr int define(int d) {
        definition& here = g.definitions[d];
        if (here.at >= 0)
            return here.at;
        if (in_work[d]) {
            g.report({.why = reason::circular_gate, .gate = g.names[here.called]});
            return 0;
        }
        in_work[d] = true;
        here.at = build(raw.definitions[d].at);
        in_work[d] = false;
        return here.at;
    }

    constexpr int build(int i) {
        if (built[i] >= 0)
            return built[i];
        node n = raw[i];
        if (n.kind == op::reference) {
            auto const kind = static_cast<role>(n.order);
            int const d = find(kind, n.index);
            if (d < 0) {
                auto const why = kind == role::gate ? reason::unknown_gate : reason::state_without_update;
                g.report({.why = why, .gate = raw.owner(i), .about = raw.names[n.index]});
                return 0;
            }
            g.definitions[d].used = true;
            return built[i] = define(d);
        }
        if (n.a >= 0)
            n.a = build(n.a);
        if (n.b >= 0)
            n.b = build(n.b);
        return built[i] = g.add(n);
    }
};

} // namespace detail

/// The graph with every reference replaced. Its results are the output, then the next states in the order of
/// the updates.
template <std::size_t N>
constexpr graph<N> resolve(graph<N> const& raw) {
    detail::resolver<N> r(raw);
    graph<N>& g = r.g;
    auto const& lines = raw.definitions;

    for (int d = 0; d < lines.size(); ++d)
        if (int const first = r.find(lines[d].kind, lines[d].called); first != d) {
            auto const why = lines[d].kind == role::gate   ? reason::doubled_gate
                             : lines[d].kind == role::next ? reason::doubled_update
                                                           : reason::doubled_output;
            g.report({.why = why, .gate = raw.names[lines[d].called]});
        }
    for (int i = 0; i < raw.size(); ++i)
        if (is_leaf(raw[i].kind))
            r.build(i);
    for (int i = 0; i < raw.size(); ++i)
        if (raw[i].kind == op::state && r.find(role::next, raw[i].index) < 0)
            g.report({.why = reason::state_without_update,
                      .gate = raw.owner(i),
                      .about = raw.names[raw[i].index]});
    for (int d = 0; d < lines.size(); ++d)
        r.define(d);
    if (g.trouble)
        return g;

    for (definition const& d : g.definitions)
        if (d.kind == role::gate && !d.used)
            g.report({.why = reason::unused_definition, .gate = g.names[d.called]});

    int output = -1, states = 0;
    for (int d = 0; d < lines.size(); ++d)
        if (lines[d].kind == role::output)
            output = d;
    for (int d = 0; d < lines.size() && output < 0; ++d)
        if (lines[d].kind == role::next && raw.names[lines[d].called].view() == "h")
            output = d;
    for (int d = 0; d < lines.size(); ++d)
        states += lines[d].kind == role::next;
    for (int d = 0; d < lines.size() && output < 0 && states == 1; ++d)
        if (lines[d].kind == role::next)
            output = d;
    if (output < 0) {
        g.report({.why = reason::missing_output});
        return g;
    }
    g.results.push_back({.kind = role::output,
                         .called = g.intern(std::string_view("output")),
                         .at = g.definitions[output].at});
    for (definition const& d : g.definitions)
        if (d.kind == role::next)
            g.results.push_back({.kind = role::next, .called = d.called, .at = d.at});
    return g;
}

} // namespace sluice
