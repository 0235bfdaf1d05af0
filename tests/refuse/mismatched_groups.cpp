// SPDX-License-Identifier: BSL-1.0
// A sum of a grouped matrix and one that is not.
// expect: matrices in different numbers of groups meet in a sum; give them the same
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(h * (grouped(R<"a">) - grouped(R<"b">))));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(h * (grouped(R<"a">) - R<"b">)));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
