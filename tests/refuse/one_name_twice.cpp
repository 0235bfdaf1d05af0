// SPDX-License-Identifier: BSL-1.0
// A matrix and a vector of one name.
// expect: one name stands for two different things; give one of them another name
// expect: in_gate<boost::hana::string<'h'> ?>
// expect: about<boost::hana::string<'W', '_', 'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

struct my_cell {
    static constexpr auto equations = sluice::lines(
#ifdef ACCEPT
        next(h) = tanh(x * W<"h"> + vector<"w_h"> * h));
#else
        next(h) = tanh(x * W<"h"> + vector<"W_h"> * h));
#endif
};

constexpr auto text = sluice::print<my_cell>();
