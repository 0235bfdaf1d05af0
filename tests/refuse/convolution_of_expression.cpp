// SPDX-License-Identifier: BSL-1.0
// The convolution of something that has no name.
// expect: sluice: convolution\(\) takes an input, a state or a gate by its name; give what is convolved a gate of its own
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

constexpr auto z = gate<"z">;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(z = tanh(x * W<"z">), next(h) = h + convolution<2>(z));
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = h + convolution<2>(tanh(x * W<"z">)));
};
#endif

constexpr int nodes = sluice::passes<my_cell>::graph.size();
