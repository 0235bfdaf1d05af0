// SPDX-License-Identifier: BSL-1.0
// A cell of a struct without equations.
// expect: sluice: a cell is made of a page, a complete struct with static constexpr auto equations = sluice::lines
#include <sluice/xtensor.hpp>

using namespace sluice::equation;

struct my_cell {
#ifdef ACCEPT
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h">));
#else
    static constexpr auto lines = sluice::lines(next(h) = tanh(x * W<"h">));
#endif
};

auto make() {
    return sluice::cell<my_cell>({.input = 3, .units = 5});
}
