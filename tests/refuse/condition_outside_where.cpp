// SPDX-License-Identifier: BSL-1.0
// A comparison where a value is due.
// expect: sluice: a comparison stands where a value is due; choose between values with where\(condition, a, b\)
// expect: in_gate<boost::hana::string<'z'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto z = gate<"z">;
#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(z = where(h > 0_n, h, x* W<"z">), next(h) = tanh(z));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(z = (h > 0_n) * h + x * W<"z">, next(h) = tanh(z));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
