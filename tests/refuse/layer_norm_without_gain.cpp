// SPDX-License-Identifier: BSL-1.0
// layer_norm() of a value alone.
// expect: sluice: layer_norm\(\) takes a value, a gain and a bias
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = layer_norm(x * W<"h">, p<"gain">, b<"shift">));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = layer_norm(x * W<"h">));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
