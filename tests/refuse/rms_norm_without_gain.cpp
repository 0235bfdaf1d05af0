// SPDX-License-Identifier: BSL-1.0
// rms_norm() of a value alone.
// expect: sluice: rms_norm\(\) takes a value and a gain
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = rms_norm(x * W<"h">, p<"gain">));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = rms_norm(x * W<"h">));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
