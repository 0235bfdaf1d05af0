// SPDX-License-Identifier: BSL-1.0
// A reduction that does not say where it starts.
// expect: sluice: a reduction needs template <class T> static T start
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

struct times_all {
    static constexpr std::string_view name = "times_all";
    template <class T>
    static T combine(T a, T b) {
        return a * b;
    }
    static constexpr auto derivative(auto z, auto y) { return y / z; }
#ifdef ACCEPT
    template <class T>
    static T start() {
        return T(1);
    }
#else

#endif
};

struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = reduce<times_all>(h) * h);
};

constexpr int nodes = sluice::passes<my_cell>::graph.size();
