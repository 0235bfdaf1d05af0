// SPDX-License-Identifier: BSL-1.0
// A bias in the place of a peephole.
// expect: a bias stands in a product; add it, or use a vector p<> for a peephole
// expect: in_gate<boost::hana::string<'f'> ?>
// expect: about<boost::hana::string<'b', '_', 'f'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto f = gate<"f">;

struct my_cell {
    static constexpr auto equations = sluice::lines(
#ifdef ACCEPT
        f = sigmoid(x * W<"f"> + h * p<"f">),
#else
        f = sigmoid(x * W<"f"> + h * b<"f">),
#endif
        next(h) = f * h);
};

constexpr auto text = sluice::print<my_cell>();
