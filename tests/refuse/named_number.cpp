// SPDX-License-Identifier: BSL-1.0
// A number that has a name.
// expect: sluice: the only plain number is 1; .* those of a constant as number<dt>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr double dt = 0.1;
#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = h + number<dt> * tanh(x * W<"h">));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = h + dt * tanh(x * W<"h">));
};
#endif

constexpr auto text = sluice::print<my_cell>();
