// SPDX-License-Identifier: BSL-1.0
// The transpose of a vector.
// expect: sluice: transposed.. is given something other than a matrix
// expect: in_gate<boost::hana::string<'h'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto cell = sluice::equations(next(h) = tanh(h * transposed(R<"h">)));
#else
constexpr auto cell = sluice::equations(next(h) = tanh(transposed(h)));
#endif
