// SPDX-License-Identifier: BSL-1.0
// One state, two updates.
// expect: a state is updated twice; keep one next.state. = ...
// expect: in_gate<boost::hana::string<'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto c = state<"c">;
#else
constexpr auto c = h;
#endif
constexpr auto cell = sluice::equations(next(h) = tanh(x * W<"h"> + h * R<"h">), next(c) = tanh(c));
