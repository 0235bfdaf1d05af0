// SPDX-License-Identifier: BSL-1.0
// An activation without a name.
// expect: sluice: a function needs a name: static constexpr std::string_view name
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

struct lazy {
#ifdef ACCEPT
    static constexpr std::string_view name = "lazy";
#endif
    template <class T>
    static T value(T z) {
        return z;
    }
    static constexpr auto derivative(auto, auto) {
        return 1_n;
    }
};

struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = apply<lazy>(x * W<"h">));
};

constexpr auto text = sluice::print<my_cell>();
