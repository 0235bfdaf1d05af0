// SPDX-License-Identifier: BSL-1.0
// repeat() of an expression in the place of a function that updates.
// expect: sluice: repeat\(\) takes a value and a function that updates it
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations =
        sluice::lines(next(h) = repeat<2>(h, [](auto z, auto) { return tanh(z * R<"h">); }));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = repeat<2>(h, tanh(h* R<"h">)));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
