// SPDX-License-Identifier: BSL-1.0
// A graph of gradients against differences of the graph that it was made from. The graphs are values of one
// type here, so that they are evaluated by one function, compiled once.
#pragma once

#include <sluice/graph/passes.hpp>
#include <support/swish.hpp>

namespace differences {

using namespace sluice::equation;

/// All activations that a test may use, and those of their derivatives.
using activations = sluice::activations_of<sluice::equation_set<
    output_definition<decltype(tanh(x) + relu(x) + softplus(x) + exp(x) + sigmoid(x) + identity(x) +
                               hard_sigmoid(x) + apply<support::swish>(x))>>>;

using graph = sluice::graph<1024>;
using gradient_graph = sluice::gradient_graph<1024>;

template <class... Line>
graph graph_of(sluice::equation_set<Line...>) {
    using set = sluice::equation_set<Line...>;
    sluice::graph<sluice::detail::terms<set>> g;
    sluice::detail::flattener<activations, decltype(g)> walk{g};
    (walk.line(Line{}), ...);
    return sluice::resize<1024>(sluice::give_shapes(sluice::resolve(g)).shaped);
}

/// The gradients of g.
gradient_graph differentiate(graph const& g);

/// The largest error of the gradients `d` of `g`, relative to the largest gradient of each leaf; all leaves,
/// seeds included, are random. A NaN where there is nothing to compare.
double error(graph const& g, gradient_graph const& d);

/// The largest errors of the first and the second derivatives.
struct errors {
    double first = 0;
    double second = 0;
};
errors errors_of(graph const& g);

template <class... Line>
errors errors_of(sluice::equation_set<Line...> lines) {
    return errors_of(graph_of(lines));
}

} // namespace differences
