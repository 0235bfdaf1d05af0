// SPDX-License-Identifier: BSL-1.0
// What has to be done to run a set of equations: forward only, or forward and backward. Each is a constant, and none is
// made that nobody reads: a program that does not learn has no gradient.
#pragma once

#include <sluice/graph/differentiate.hpp>
#include <sluice/graph/passes.hpp>
#include <sluice/graph/rules.hpp>
#include <sluice/plan/fuse.hpp>
#include <sluice/plan/make_plan.hpp>

namespace sluice {

template <class Page>
struct plans {
    using first = passes<Page>;
    using operations = typename first::operations;

    struct fused {
        static constexpr auto make() { return fuse(first::graph); }
    };
    static constexpr graph_view graph = frozen<fused>::value;

    /// Forward, when no gradient will be wanted.
    struct inferring {
        static constexpr auto make() { return make_plan(forward_sweep(graph)); }
    };
    static constexpr plan_view inference = frozen<inferring>::value;

    /// The graph and, behind it, the gradient; the first `given` nodes are those of `graph`.
    struct differentiated {
        static constexpr auto make() { return differentiate(graph, derivative_rules(operations{})).whole; }
    };
    static constexpr graph_view gradient = frozen<differentiated>::value;
    static constexpr int given = graph.size();

    struct backwards {
        static constexpr auto make() { return make_plan(backward_sweep(gradient, given)); }
    };
    static constexpr plan_view backward = frozen<backwards>::value;

    /// Forward, keeping what the backward plan reads.
    struct forwards {
        static constexpr auto make() { return make_plan(keeping(forward_sweep(graph), backward.saved)); }
    };
    static constexpr plan_view forward = frozen<forwards>::value;

    /// The node of the gradient of a leaf, or -1.
    static constexpr int gradient_of(int leaf) {
        for (definition const& d : gradient.results)
            if (d.kind == role::gradient && d.of == leaf)
                return d.at;
        return -1;
    }
    /// The gradient that is given of a result, or -1 where no gradient needs it.
    static constexpr int cotangent_of(int result) {
        for (int i = given; i < gradient.size(); ++i)
            if (gradient[i].kind == op::cotangent && gradient[i].index == result)
                return i;
        return -1;
    }
};

} // namespace sluice
