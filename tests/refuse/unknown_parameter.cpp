// SPDX-License-Identifier: BSL-1.0
// A key that is no parameter of the cell.
// expect: sluice: the cell has no parameter of that name; see the keys of parameters..
#include <sluice/xtensor.hpp>

using namespace sluice::equation;

using namespace sluice::literals;

constexpr auto lines = sluice::equations(next(h) = tanh(x * W<"h"> + h * R<"h">));

#ifdef ACCEPT
constexpr auto key = "W_h"_s;
#else
constexpr auto key = "W_y"_s;
#endif

void zero(sluice::cell<lines>& cell) {
    cell.assign(key, xt::zeros<float>({2, 3}));
}
