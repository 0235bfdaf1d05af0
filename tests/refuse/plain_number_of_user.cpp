// SPDX-License-Identifier: BSL-1.0
// The same through the header that users include: 1.5 is not taken for 1.
// expect: sluice: the only plain number is 1; write others as 2_n
// expect: plain_number_of_user\.cpp:\d+:\d+
#include <sluice/xtensor.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = 1.0 - h * tanh(x * W<"h">));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = 1.5 - h * tanh(x * W<"h">));
};
#endif

auto make() {
    return sluice::cell<my_cell>({.input = 3, .units = 5});
}
