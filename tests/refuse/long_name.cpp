// SPDX-License-Identifier: BSL-1.0
// A name that its prefix makes too long.
// expect: sluice: a name has at most 31 letters, its W_, R_, b_ or p_ included; shorten it
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = x * W<"abcdefghijklmnopqrstuvwxyz012">);
};
#else
struct my_cell {
    static constexpr auto equations = sluice::lines(next(h) = x * W<"abcdefghijklmnopqrstuvwxyz0123">);
};
#endif

constexpr auto text = sluice::print<my_cell>();
