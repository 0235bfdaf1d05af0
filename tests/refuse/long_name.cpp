// SPDX-License-Identifier: BSL-1.0
// A name that its prefix makes too long.
// expect: sluice: a name has at most 31 letters, its W_, R_, b_ or p_ included; shorten it
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto cell = sluice::equations(next(h) = x * W<"abcdefghijklmnopqrstuvwxyz012">);
#else
constexpr auto cell = sluice::equations(next(h) = x * W<"abcdefghijklmnopqrstuvwxyz0123">);
#endif
