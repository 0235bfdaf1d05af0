// SPDX-License-Identifier: BSL-1.0
// A gate of one feature becomes a state of three.
// expect: sluice: a value of one feature stands where another width is due; write sum.. of it
// expect: in_gate<boost::hana::string<'g'> ?>
// expect: width<sluice::symbol::number, 1>
// errors: 1
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto g = gate<"g">;
constexpr auto m = state<"m", 3>;
struct my_cell {
    static constexpr auto equations = sluice::lines(g = sigmoid(x * matrix<"g", 1>),
#ifdef ACCEPT
                                                    next(m) = sum(g));
#else
                                                    next(m) = g);
#endif
};

constexpr auto text = sluice::print<my_cell>();
