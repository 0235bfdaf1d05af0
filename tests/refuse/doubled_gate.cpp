// SPDX-License-Identifier: BSL-1.0
// One gate, two definitions.
// expect: a gate is defined twice; keep one definition, or give the other its own name
// expect: in_gate<boost::hana::string<'f'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto f = gate<"f">;

#ifdef ACCEPT
constexpr auto g = gate<"g">;
#else
constexpr auto g = gate<"f">;
#endif
struct my_cell {
    static constexpr auto equations =
        sluice::lines(f = sigmoid(x * W<"f">), g = sigmoid(h * R<"g">), next(h) = f * h + g);
};

constexpr auto text = sluice::print<my_cell>();
