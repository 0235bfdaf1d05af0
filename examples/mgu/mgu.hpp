// SPDX-License-Identifier: BSL-1.0
// Minimal gated unit (Zhou et al., arXiv 1603.09420): a cell that a user writes. f is its only gate.
//
//   f  = sigmoid(x W_f + h R_f + b_f)
//   n  = tanh(x W_n + (f . h) R_n + b_n)
//   h' = (1 - f) . h + f . n
#pragma once

#include <sluice/xtensor.hpp>

namespace minimal {

using namespace sluice::equation;

constexpr auto f = gate<"f">;
constexpr auto n = gate<"n">;

// clang-format off
struct mgu {
    static constexpr auto equations = sluice::lines(
        f       = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">),
        n       = tanh(x * W<"n"> + (f * h) * R<"n"> + b<"n">),
        next(h) = (1 - f) * h + f * n);
};
// clang-format on

} // namespace minimal

using minimal::mgu;
