// SPDX-License-Identifier: BSL-1.0
// One matrix with and without groups.
// expect: one name stands for two different things; give one of them another name
// expect: about<boost::hana::string<'R', '_', 'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(h * grouped(R<"h">)) * grouped(R<"h">));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(h * grouped(R<"h">)) * R<"h">);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
