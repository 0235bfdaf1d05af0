// SPDX-License-Identifier: BSL-1.0
// The input, [batch, input], meets the state, [batch, units], without a matrix.
// expect: operands of different widths meet in a gate; give them one width
// expect: in_gate<boost::hana::string<'f'> ?>
// expect: width<sluice::symbol::input, 0>, sluice::refused::width<sluice::symbol::units, 0>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto f = gate<"f">;

struct my_cell {
    static constexpr auto equations = sluice::lines(
#ifdef ACCEPT
        f = sigmoid(x * W<"f"> + h),
#else
        f = sigmoid(x + h),
#endif
        next(h) = f * h);
};

constexpr auto text = sluice::print<my_cell>();
