// SPDX-License-Identifier: BSL-1.0
// A gate of one feature meets a state of three.
// expect: sluice: a value of one feature meets one of another width in a gate; write sum.. of it
// expect: in_gate<boost::hana::string<'m'> ?>
// expect: width<sluice::symbol::number, 1>
// errors: 1
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto g = gate<"g">;
constexpr auto m = state<"m", 3>;
struct my_cell {
    static constexpr auto equations = sluice::lines(g = sigmoid(x * matrix<"g", 1>),
#ifdef ACCEPT
                                                    next(m) = sum(g) * m);
#else
                                                    next(m) = g * m);
#endif
};

constexpr auto text = sluice::print<my_cell>();
