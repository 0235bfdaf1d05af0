// SPDX-License-Identifier: BSL-1.0
// A derivative with respect to a gate that is made of parameters alone.
// expect: sluice: a derivative is taken with respect to what is the same in all rows
// expect: in_gate<boost::hana::string<'h'> ?>, .*about<boost::hana::string<'v'> ?>
// errors: 1
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto v = gate<"v">;
#ifdef ACCEPT
constexpr auto target = p<"v"> * h;
#else
constexpr auto target = tanh(p<"v">);
#endif
struct my_cell {
    static constexpr auto equations =
        sluice::lines(v = target, next(h) = h - 0.1_n * derivative(sum(square(x * W<"h"> - v)), v));
};

constexpr auto text = sluice::print<my_cell>();
