// SPDX-License-Identifier: BSL-1.0
// cuDNN's GRU in other words: a page whose parameters are parts of one another, or stand for several.
#pragma once

#include <sluice/sluice.hpp>

namespace kernel_cells {

using namespace sluice::equation;

/// All gates in one kernel, the update gate with the paper's sign, a setting in a bias, a number for a
/// vector, and a matrix that is never trained.
struct kernel_gru {
    static constexpr auto reset = gate<"r">;
    static constexpr auto update = gate<"z">;
    static constexpr auto fresh = gate<"n">;
    static constexpr auto both = gate<"both">;
    static constexpr auto equations =
        sluice::lines(both = concat(x, h) * matrix<"kernel", size<"two">> + bias<"shift">,
                      reset = sigmoid(slice<0, units>(both)),
                      update = sigmoid(slice<units, units>(both) + setting<"lean">(0_n)),
                      fresh = tanh(x * W<"n"> + scalar<"level"> + reset * (h * fixed(R<"n">))),
                      next(h) = (1 - update) * h + update * fresh);
};

} // namespace kernel_cells
