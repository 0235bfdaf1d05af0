// SPDX-License-Identifier: BSL-1.0
// The same through the header that users include.
// expect: a gate is used but never defined; define it, or correct its name
// expect: in_gate<boost::hana::string<'n'> ?>
// expect: about<boost::hana::string<'r', 'e', 's', 'e', 't'> ?>
#include <sluice/xtensor.hpp>

using namespace sluice::equation;

constexpr auto n = gate<"n">;
#ifdef ACCEPT
constexpr auto r = gate<"r">;
#else
constexpr auto r = gate<"reset">;
#endif
struct my_cell {
    static constexpr auto equations = sluice::lines(gate<"r"> = sigmoid(x * W<"r"> + h * R<"r">),
                                                    n = tanh(x * W<"n"> + (r * h) * R<"n">), next(h) = n);
};

auto make() {
    return sluice::cell<my_cell>({.input = 3, .units = 5});
}
