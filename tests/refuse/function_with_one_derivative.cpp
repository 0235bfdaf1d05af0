// SPDX-License-Identifier: BSL-1.0
// A function of two operands with the derivative of one.
// expect: sluice: a function needs derivatives that are equations: .*each
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

struct half {
    static constexpr std::string_view name = "half";
    template <class T>
    static T value(T a, T b) {
        return a * b;
    }
    static constexpr auto derivative(auto a, auto b, auto) {
#ifdef ACCEPT
        return each(b, a);
#else
        return b;
#endif
    }
};

struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = apply<half>(h, x* W<"h">));
};

constexpr int nodes = sluice::passes<my_cell>::graph.size();
