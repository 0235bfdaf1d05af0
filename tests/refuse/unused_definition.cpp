// SPDX-License-Identifier: BSL-1.0
// A gate that nothing reads.
// expect: a definition is never used; use it in an update or the output, or delete it
// expect: in_gate<boost::hana::string<'f'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto f = gate<"f">;

struct my_cell {
    static constexpr auto equations = sluice::lines(f = sigmoid(x * W<"f"> + h * R<"f">),
#ifdef ACCEPT
                                                    next(h) = f * tanh(x * W<"h">));
#else
                                                    next(h) = tanh(x * W<"h">));
#endif
};

constexpr auto text = sluice::print<my_cell>();
