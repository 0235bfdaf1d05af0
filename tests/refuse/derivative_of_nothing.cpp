// SPDX-License-Identifier: BSL-1.0
// A derivative with respect to a state of which the loss has nothing.
// expect: sluice: a derivative is taken with respect to a value on which the loss does not depend
// expect: in_gate<boost::hana::string<'c'> ?>, .*about<boost::hana::string<'c'> ?>
// errors: 1
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto c = state<"c">;
#ifdef ACCEPT
constexpr auto loss = sum(square(h - c));
#else
constexpr auto loss = sum(square(h));
#endif
struct my_cell {
    static constexpr auto equations =
        sluice::lines(next(c) = c - 0.1_n * derivative(loss, c), next(h) = tanh(x * W<"h"> + c));
};

constexpr auto text = sluice::print<my_cell>();
