// SPDX-License-Identifier: BSL-1.0
// Compile-time sizes: two groups of five features.
// expect: the number of groups does not divide a width; choose groups that divide every width of a grouped
// expect: in_gate<boost::hana::string<'h'> ?>
// expect: about<boost::hana::string<'W', '_', 'h'> ?>
// expect: width<sluice::symbol::input, 0>, sluice::refused::width<sluice::symbol::number, 2>
#include <sluice/xtensor.hpp>

using namespace sluice::equation;

struct grouped_cell {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * grouped(W<"h">) + h * grouped(R<"h">)));
};
#ifdef ACCEPT
constexpr std::size_t width = 6;
#else
constexpr std::size_t width = 5;
#endif
sluice::cell<grouped_cell, sluice::extents<sluice::sizes{.input = width, .units = 4, .groups = 2}>> cell;
