// SPDX-License-Identifier: BSL-1.0
// A latch: it keeps what it has read until it is told to read again. The cell of docs/tutorial.md.
//
//   k  = sigmoid(x W_k + h R_k + b_k)     [batch, units]: how much is kept
//   v  = tanh(x W_v + b_v)                [batch, units]: what is read
//   h' = k . h + (1 - k) . v
#pragma once

#include <sluice/xtensor.hpp>

namespace tutorial {

using namespace sluice::equation;

constexpr auto k = gate<"k">;
constexpr auto v = gate<"v">;

// clang-format off
struct latch {
    static constexpr auto equations = sluice::lines(
        k       = sigmoid(x * W<"k"> + h * R<"k"> + b<"k">),
        v       = tanh(x * W<"v"> + b<"v">),
        next(h) = k * h + (1 - k) * v);
};
// clang-format on

} // namespace tutorial

using tutorial::latch;
