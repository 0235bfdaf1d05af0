// SPDX-License-Identifier: BSL-1.0
// The input with two widths.
// expect: an input is declared with two different widths; use one declaration of it
// expect: in_gate<boost::hana::string<'h'> ?>
// expect: about<boost::hana::string<'x'> ?>
// expect: width<sluice::symbol::input, 0>, sluice::refused::width<sluice::symbol::units, 0>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto v = input_of<size<"input">>;
#else
constexpr auto v = input_of<units>;
#endif
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + v * W<"h">));
};

constexpr auto text = sluice::print<my_cell>();
