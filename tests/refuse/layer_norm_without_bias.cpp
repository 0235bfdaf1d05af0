// SPDX-License-Identifier: BSL-1.0
// layer_norm() without a bias.
// expect: sluice: layer_norm\(\) takes a value, a gain and a bias
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = layer_norm(x * W<"h">, p<"gain">, 0_n));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = layer_norm(x * W<"h">, p<"gain">));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
