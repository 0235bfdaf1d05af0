// SPDX-License-Identifier: BSL-1.0
// A page that goes back by a number of steps of its own.
// cure: Write the equations with states of the last step only, or use the page at its own rate.
// expect: sluice: resampled takes a page whose states go back by one step, but these equations have a delay\(\) or a convolution\(\)
// expect: resampled<my_cell
#include <sluice/cell/adapt/resampled.hpp>
#include <sluice/sluice.hpp>

using namespace sluice::equation;

struct my_cell {
#ifdef ACCEPT
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"x"> + h * R<"h">));
#else
    static constexpr auto equations = sluice::lines(next(h) = tanh(delay<2>(x) * W<"x"> + h * R<"h">));
#endif
};

constexpr auto text = sluice::print<sluice::resampled<my_cell>>();
