// SPDX-License-Identifier: BSL-1.0
// A sum of a grouped matrix and one that is not.
// expect: matrices in different numbers of groups meet in a sum; give them the same
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto cell = sluice::equations(next(h) = tanh(h * (grouped(R<"a">) - grouped(R<"b">))));
#else
constexpr auto cell = sluice::equations(next(h) = tanh(h * (grouped(R<"a">) - R<"b">)));
#endif
