// SPDX-License-Identifier: BSL-1.0
// Compile-time sizes: three features meet four units.
// expect: operands of different widths meet in a gate
// expect: in_gate<boost::hana::string<'h'> ?>
// expect: width<sluice::symbol::units, 0>, sluice::refused::width<sluice::symbol::number, 3>
#include <sluice/xtensor.hpp>

using namespace sluice::equation;

constexpr auto c = state<"c", 3>;
struct my_cell {
    static constexpr auto equations = sluice::lines(next(c) = tanh(c), next(h) = tanh(x * W<"h"> + c * h));
};
#ifdef ACCEPT
constexpr std::size_t units_of_cell = 3;
#else
constexpr std::size_t units_of_cell = 4;
#endif
sluice::cell<my_cell, sluice::extents<sluice::sizes{.units = units_of_cell}>> cell({.input = 2});
