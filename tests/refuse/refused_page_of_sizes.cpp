// SPDX-License-Identifier: BSL-1.0
// A cell whose sizes stand in its type, of equations that are refused: no second error about its widths.
// expect: sluice: a gate is used but never defined; define it, or correct its name
// errors: 1
#include <sluice/xtensor.hpp>

using namespace sluice::equation;

constexpr auto f = gate<"f">;
struct page {
    static constexpr auto equations = sluice::lines(
#ifdef ACCEPT
        f = sigmoid(x * W<"f">),
#endif
        next(h) = tanh(x * W<"h"> + f * h));
};
using cell = sluice::cell<page, sluice::extents<sluice::sizes{.input = 3, .units = 5}>>;
auto make() {
    return cell();
}
