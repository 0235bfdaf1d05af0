// SPDX-License-Identifier: BSL-1.0
// Numbers are decimal.
// expect: no matching function for call to .operator""_n
// expect: hexadecimal_number\.cpp:\d+:\d+
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto cell = sluice::equations(next(h) = 16_n * h + x * W<"h">);
#else
constexpr auto cell = sluice::equations(next(h) = 0x10_n * h + x * W<"h">);
#endif
