// SPDX-License-Identifier: BSL-1.0
// A ninth size of the cell's own.
// expect: sluice: a cell has at most 8 sizes of its own; use numbers
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr sluice::sizes many{.input = 1,
                             .units = 1,
                             .own = {{"a", 1},
                                     {"b", 2},
                                     {"c", 3},
                                     {"d", 4},
                                     {"e", 5},
                                     {"f", 6},
                                     {"g", 7},
#ifdef ACCEPT

#else
                                     {"i", 9},
#endif
                                     {"h", 8}}};
