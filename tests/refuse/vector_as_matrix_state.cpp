// SPDX-License-Identifier: BSL-1.0
// A matrix state becomes a vector.
// expect: a vector meets a matrix value element by element
// expect: about<boost::hana::string<'S'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto S = state<"S", units, 7>;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(S) = row(x * W<"v">) * S, next(h) = tanh(h));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(S) = x * W<"v">, next(h) = tanh(h));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
