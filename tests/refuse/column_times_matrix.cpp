// SPDX-License-Identifier: BSL-1.0
// One number for each row stands left of a matrix.
// expect: sluice: what stands left of a matrix is one number in each row
// expect: about<boost::hana::string<'W', '_', 'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = (max(x) * x) * W<"h">);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = max(x) * W<"h">);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
