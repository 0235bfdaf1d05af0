// SPDX-License-Identifier: BSL-1.0
// A parameter and, after it, a state of one name.
// expect: one name stands for two different things; give one of them another name
// expect: in_gate<boost::hana::string<'h'> ?>
// expect: about<boost::hana::string<'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

struct my_cell {
    static constexpr auto equations = sluice::lines(
#ifdef ACCEPT
        next(h) = tanh(x * matrix<"k"> + h * R<"h">));
#else
        next(h) = tanh(x * matrix<"h"> + h * R<"h">));
#endif
};

constexpr auto text = sluice::print<my_cell>();
