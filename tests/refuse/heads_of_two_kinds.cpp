// SPDX-License-Identifier: BSL-1.0
// Matrix values in different numbers of groups meet.
// expect: in different numbers of groups meet
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto S = state<"S", units, 7>;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(S) = S + outer(h, x* W<"v">), next(h) = tanh(h));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(S) = S + outer<2>(h, x* W<"v">), next(h) = tanh(h));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
