// SPDX-License-Identifier: BSL-1.0
// A matrix that is fixed in one place only.
// expect: a parameter is fixed in one place and trained in another; write fixed
// expect: about<boost::hana::string<'A'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh((h * fixed(matrix<"A">)) * fixed(matrix<"A">)));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh((h * fixed(matrix<"A">)) * matrix<"A">));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
