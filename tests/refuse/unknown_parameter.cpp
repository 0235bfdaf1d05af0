// SPDX-License-Identifier: BSL-1.0
// A key that is no parameter of the cell.
// expect: sluice: the cell has no parameter of that name; see the keys of parameters..
#include <sluice/xtensor.hpp>

using namespace sluice::equation;

using namespace sluice::literals;

struct elman {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h">));
};

#ifdef ACCEPT
constexpr auto key = "W_h"_s;
#else
constexpr auto key = "W_y"_s;
#endif

void zero(sluice::cell<elman>& cell) {
    cell.assign(key, xt::zeros<float>({2, 3}));
}
