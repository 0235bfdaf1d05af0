// SPDX-License-Identifier: BSL-1.0
// An input of a name of its own with two widths.
// expect: an input is declared with two different widths; use one declaration of it
// expect: about<boost::hana::string<'c', 'o', 'n', 't', 'e', 'x', 't'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations =
        sluice::lines(next(h) = input<"context"> * W<"a"> + input<"context"> * W<"b">);
};
#else
struct my_cell {
    static constexpr auto equations =
        sluice::lines(next(h) = input<"context"> * W<"a"> + input<"context", 3> * W<"b">);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
