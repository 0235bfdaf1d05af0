// SPDX-License-Identifier: BSL-1.0
// A derivative of many numbers.
// expect: sluice: a derivative is taken of more than one number for each row; write sum.. of it
// expect: in_gate<boost::hana::string<'h'> ?>, .*about<boost::hana::string<'h'> ?>
// errors: 1
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto loss = sum(square(h - x * W<"h">));
#else
constexpr auto loss = square(h - x * W<"h">);
#endif
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = h - 0.1_n * derivative(loss, h));
};

constexpr auto text = sluice::print<my_cell>();
