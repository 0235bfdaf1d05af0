// SPDX-License-Identifier: BSL-1.0
// Three features meet four.
// expect: operands of different widths meet in a gate
// expect: in_gate<boost::hana::string<'h'> ?>
// expect: width<sluice::symbol::number, 3>, sluice::refused::width<sluice::symbol::number, 4>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto m = state<"m", 3>;
#ifdef ACCEPT
constexpr auto k = matrix<"k", 3>;
#else
constexpr auto k = matrix<"k", 4>;
#endif
struct my_cell {
    static constexpr auto equations = sluice::lines(next(m) = tanh(m), next(h) = tanh((m + x * k) * R<"h">));
};

constexpr auto text = sluice::print<my_cell>();
