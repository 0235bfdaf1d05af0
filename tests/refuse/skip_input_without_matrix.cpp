// SPDX-License-Identifier: BSL-1.0
// A page in which x is multiplied with no matrix.
// expect: sluice: skip_input takes away the matrices that x is multiplied with, and these equations have none
// expect: skip_input<my_cell>
#include <sluice/cell/adapt/skip_input.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/sluice.hpp>

using namespace sluice::equation;

struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * p<"x"> + h * R<"h">));
};

#ifdef ACCEPT
using adapted = sluice::skip_input<sluice::gru>;
#else
using adapted = sluice::skip_input<my_cell>;
#endif

constexpr auto text = sluice::print<adapted>();
