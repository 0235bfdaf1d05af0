// SPDX-License-Identifier: BSL-1.0
// A scan with a derivative as pointwise functions have one.
// expect: sluice: a scan needs gradients that are equations: static constexpr auto gradient
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

struct running {
    static constexpr std::string_view name = "running";
    template <class T>
    static T start() {
        return T(0);
    }
    template <class T>
    static T step(T before, T z) {
        return before + z;
    }
#ifdef ACCEPT
    static constexpr auto gradient(auto, auto, auto dy) {
        return reverse_cumsum(dy);
    }
#else
    static constexpr auto derivative(auto, auto) {
        return 1_n;
    }
#endif
};

struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = scan<running>(h) * h);
};

constexpr int nodes = sluice::passes<my_cell>::graph.size();
