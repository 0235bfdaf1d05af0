// SPDX-License-Identifier: BSL-1.0
// A matrix without a width is added to one feature, and the gate meets the units.
// expect: sluice: a matrix without a width of its own is added to a value of one feature
// expect: in_gate<boost::hana::string<'f'> ?>
// expect: width<sluice::symbol::units, 0>, sluice::refused::width<sluice::symbol::number, 1>
// errors: 1
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto f = gate<"f">;
#ifdef ACCEPT
constexpr auto of_state = h * R<"f", 1>;
#else
constexpr auto of_state = h * R<"f">;
#endif
struct my_cell {
    static constexpr auto equations = sluice::lines(f = sigmoid(x * W<"f", 1> + of_state + b<"f">),
                                                    next(h) = f * h + (1 - f) * tanh(x * W<"h">));
};

constexpr auto text = sluice::print<my_cell>();
