// SPDX-License-Identifier: BSL-1.0
// A number that has a name.
// expect: sluice: the only plain number is 1; .* named ones as auto dt = 0.1_n
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto dt = 0.1_n;
#else
constexpr double dt = 0.1;
#endif
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = h + dt * tanh(x * W<"h">));
};

constexpr auto text = sluice::print<my_cell>();
