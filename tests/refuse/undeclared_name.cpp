// SPDX-License-Identifier: BSL-1.0
// A name that the user forgot to declare, in a program that learns: nothing of the library is in the error.
// expect: error: .*forgotten
#include <sluice/xtensor.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto forgotten = gate<"forgotten">;
#endif

struct my_cell {
    static constexpr auto equations =
        sluice::lines(forgotten = sigmoid(x * W<"f">), next(h) = forgotten * tanh(x * W<"h"> + h * R<"h">));
};

auto learn(xt::xtensor<float, 3> const& xs) {
    sluice::cell<my_cell> cell({.input = 3, .units = 5});
    auto const run = unroll(cell, xs, cell.zero_state(2));
    sluice::adam optimizer(cell);
    optimizer.step(cell, backward(cell, run, run.outputs).parameters);
}
