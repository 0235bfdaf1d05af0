// SPDX-License-Identifier: BSL-1.0
// where() that asks a value.
// expect: sluice: where\(\) asks a value that is no comparison
// expect: in_gate<boost::hana::string<'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = where(h > 0_n, x* W<"h">, h));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = where(h, x* W<"h">, h));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
