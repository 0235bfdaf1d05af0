// SPDX-License-Identifier: BSL-1.0
// A vector that is the same in all rows stands left of a matrix.
// expect: sluice: what stands left of a matrix depends on neither the input nor a state
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = (vector<"g"> * h) * R<"h"> + x * W<"h">);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = vector<"g"> * R<"h"> + x * W<"h">);
};
#endif

constexpr auto text = sluice::print<my_cell>();
