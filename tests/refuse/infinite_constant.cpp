// SPDX-License-Identifier: BSL-1.0
// A constant that is no finite number.
// cure: Give the constant a finite value.
// expect: sluice: a number in an equation is finite, and this constant is not
#include <limits>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr double dt = 0.1;
#else
constexpr double dt = std::numeric_limits<double>::infinity();
#endif
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = h + number<dt> * tanh(x * W<"h">));
};

constexpr int nodes = sluice::passes<my_cell>::graph.size();
