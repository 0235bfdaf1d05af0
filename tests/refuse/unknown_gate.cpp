// SPDX-License-Identifier: BSL-1.0
// A gate without a definition.
// expect: a gate is used but never defined; define it, or correct its name
// expect: in_gate<boost::hana::string<'n'> ?>
// expect: about<boost::hana::string<'f'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto f = gate<"f">;

constexpr auto n = gate<"n">;
struct my_cell {
    static constexpr auto equations = sluice::lines(
#ifdef ACCEPT
        f = sigmoid(x * W<"f"> + h * R<"f">),
#endif
        n = tanh(x * W<"n"> + (f * h) * R<"n">), next(h) = n);
};

constexpr auto text = sluice::print<my_cell>();
