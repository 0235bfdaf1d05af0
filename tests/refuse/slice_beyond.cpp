// SPDX-License-Identifier: BSL-1.0
// A slice that is longer than what it cuts.
// expect: sluice: a slice reaches beyond the last feature of what it cuts
// expect: in_gate<boost::hana::string<'h'> ?>
// expect: width<sluice::symbol::number, 2>, sluice::refused::width<sluice::symbol::number, 3>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = slice<1, 2>(input_of<3>) * W<"h">);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = slice<2, 2>(input_of<3>) * W<"h">);
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
