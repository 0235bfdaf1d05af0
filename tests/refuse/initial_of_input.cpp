// SPDX-License-Identifier: BSL-1.0
// An input does not start anywhere.
// expect: initial.. takes a state by its name, as in initial.h. = vector<.*h0.*>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto what = h;
#else
constexpr auto what = x;
#endif
struct my_cell {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h">), initial(what) = vector<"h0">);
};

constexpr auto text = sluice::print<my_cell>();
