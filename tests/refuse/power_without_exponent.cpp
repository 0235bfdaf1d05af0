// SPDX-License-Identifier: BSL-1.0
// pow() without an exponent.
// expect: sluice: pow\(\) takes a value and its exponent
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = pow(x * W<"h">, 2_n));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = pow(x * W<"h">));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
