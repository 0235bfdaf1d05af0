// SPDX-License-Identifier: BSL-1.0
// An activation without a derivative.
// expect: sluice: a function needs derivatives that are equations: static constexpr auto derivative
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

struct lazy {
    static constexpr std::string_view name = "lazy";
    template <class T>
    static T value(T z) {
        return z;
    }
#ifdef ACCEPT
    static constexpr auto derivative(auto, auto) {
        return 1_n;
    }
#endif
};

struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = apply<lazy>(x * W<"h">));
};

constexpr auto text = sluice::print<my_cell>();
