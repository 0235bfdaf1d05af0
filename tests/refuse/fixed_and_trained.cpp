// SPDX-License-Identifier: BSL-1.0
// A matrix that is fixed in one place only.
// expect: a parameter is fixed in one place and trained in another; write fixed
// expect: about<boost::hana::string<'A'> ?>
#include <sluice/graph/passes.hpp>

using namespace sluice::equation;

#ifdef ACCEPT
constexpr auto cell = sluice::equations(next(h) = tanh((h * fixed(matrix<"A">)) * fixed(matrix<"A">)));
#else
constexpr auto cell = sluice::equations(next(h) = tanh((h * fixed(matrix<"A">)) * matrix<"A">));
#endif
