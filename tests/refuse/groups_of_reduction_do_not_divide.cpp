// SPDX-License-Identifier: BSL-1.0
// A reduction within groups that do not divide the width.
// expect: the number of groups does not divide a width; choose groups that divide every width of a grouped
#include <sluice/xtensor.hpp>

using namespace sluice::equation;

struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = softmax<4>(h + x * W<"h">));
};
#ifdef ACCEPT
constexpr std::size_t units_of_it = 8;
#else
constexpr std::size_t units_of_it = 6;
#endif
using cell = sluice::cell<my_cell, sluice::extents<sluice::sizes{.input = 3, .units = units_of_it}>>;
auto make() {
    return cell();
}
