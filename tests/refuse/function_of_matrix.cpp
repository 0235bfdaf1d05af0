// SPDX-License-Identifier: BSL-1.0
// A function of a matrix.
// expect: a matrix takes part in more than sums, differences and multiples
// expect: in_gate<boost::hana::string<'h'> ?>
// expect: about<boost::hana::string<'R', '_', 'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto cell = sluice::equations(next(h) = tanh(h * R<"h">));
#else
constexpr auto cell = sluice::equations(next(h) = h * tanh(R<"h">));
#endif
