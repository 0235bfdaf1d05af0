// SPDX-License-Identifier: BSL-1.0
// A scan whose step takes no operand besides what stands in front of it.
// expect: sluice: a scan needs template <class T> static T start
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

struct running {
    static constexpr std::string_view name = "running";
    template <class T>
    static T start() {
        return T(0);
    }
#ifdef ACCEPT
    template <class T>
    static T step(T before, T z) {
        return before + z;
    }
#else
    template <class T>
    static T step(T before) {
        return before;
    }
#endif
    static constexpr auto gradient(auto, auto, auto dy) {
        return reverse_cumsum(dy);
    }
};

struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = scan<running>(h) * h);
};

constexpr int nodes = sluice::passes<my_cell>::graph.size();
