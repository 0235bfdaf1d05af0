// SPDX-License-Identifier: BSL-1.0
// A page whose state is multiplied with no matrix.
// expect: sluice: recurrent_dropout is for states that are multiplied with a matrix, and these equations have none
#include <sluice/cell/adapt/recurrent_dropout.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/sluice.hpp>

using namespace sluice::equation;

struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + h * p<"h">));
};

#ifdef ACCEPT
using adapted = sluice::recurrent_dropout<sluice::gru>;
#else
using adapted = sluice::recurrent_dropout<my_cell>;
#endif

constexpr auto text = sluice::print<adapted>();
