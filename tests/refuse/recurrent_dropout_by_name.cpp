// SPDX-License-Identifier: BSL-1.0
// A state goes into a product by the name of a gate.
// expect: sluice: recurrent_dropout finds a gate made of a state left of a matrix, as in a = r \* h and a \* R<>
#include <sluice/cell/adapt/recurrent_dropout.hpp>
#include <sluice/sluice.hpp>

using namespace sluice::equation;

constexpr auto a = gate<"a">;

struct my_cell {
#ifdef ACCEPT
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + (h * p<"h">)*R<"h">));
#else
    static constexpr auto equations = sluice::lines(a = h * p<"h">, next(h) = tanh(x * W<"h"> + a * R<"h">));
#endif
};

constexpr auto text = sluice::print<sluice::recurrent_dropout<my_cell>>();
