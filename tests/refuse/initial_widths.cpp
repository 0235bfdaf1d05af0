// SPDX-License-Identifier: BSL-1.0
// One vector at which states of different widths start.
// expect: operands of different widths meet in a gate; give them one width
// expect: in_gate<boost::hana::string<'h'> ?>
// expect: about<boost::hana::string<'c'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto c0 = vector<"c0">;
#else
constexpr auto c0 = vector<"h0">;
#endif
constexpr auto c = state<"c", projection>;
struct my_cell {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h"> + c * R<"c">), next(c) = tanh(h * W<"c">),
                      initial(h) = vector<"h0">, initial(c) = c0);
};

constexpr auto text = sluice::print<my_cell>();
