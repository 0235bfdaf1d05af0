// SPDX-License-Identifier: BSL-1.0
// What has to be done to run a set of equations: forward only, or forward and backward. Each is a constant,
// and none is made that is not read: a program that does not learn has no gradient.
#pragma once

#include <sluice/graph/differentiate.hpp>
#include <sluice/graph/fuse.hpp>
#include <sluice/graph/passes.hpp>
#include <sluice/graph/rules.hpp>
#include <sluice/plan/make_plan.hpp>

namespace sluice {

template <class Page>
struct plans {
    using first = passes<Page>;
    using operations = typename first::operations;

    struct fused {
        static constexpr auto make() { return fuse(first::graph); }
    };
    static constexpr graph_view graph = constant_of<fused>::value;

    /// Its leaves, in the order of the lists of the passes.
    struct leaf_lists {
        static constexpr auto make() { return list_leaves(graph); }
    };
    static constexpr basic_leaves<view> leaves = constant_of<leaf_lists>::value;

    /// Forward, when no gradient will be wanted.
    struct inferring {
        static constexpr auto make() { return make_plan(forward_sweep(graph)); }
    };
    static constexpr plan_view inference = constant_of<inferring>::value;

    /// The graph and, after it, the gradient; the first `given` nodes are those of `graph`.
    struct differentiated {
        static constexpr auto make() {
            return differentiate(graph, derivative_rules(operations{}, graph)).whole;
        }
    };
    static constexpr graph_view gradient = constant_of<differentiated>::value;
    static constexpr int given = graph.size();

    struct backwards {
        static constexpr auto make() { return make_plan(backward_sweep(gradient, given)); }
    };
    static constexpr plan_view backward = constant_of<backwards>::value;

    /// Forward, keeping what the backward plan reads, or what it takes to compute it again.
    struct forwards {
        static constexpr auto make() {
            return make_plan(keeping_parts(forward_sweep(graph), backward, gradient));
        }
    };
    static constexpr plan_view forward = constant_of<forwards>::value;
};

} // namespace sluice
