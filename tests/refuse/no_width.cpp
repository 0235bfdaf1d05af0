// SPDX-License-Identifier: BSL-1.0
// An output of parameters only.
// expect: an equation does not depend on the input or a state; let one of them take part in it
// expect: in_gate<boost::hana::string<'o', 'u', 't', 'p', 'u', 't'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h">),
#ifdef ACCEPT
                                                    output = h + tanh(b<"y">));
#else
                                                    output = tanh(b<"y">));
#endif
};

constexpr auto text = sluice::print<my_cell>();
