// SPDX-License-Identifier: BSL-1.0
// A user's GRU, of which nothing is compiled elsewhere. The programs say which headers of Sluice they read.
#pragma once

namespace cost {

using namespace sluice::equation;

constexpr auto r = gate<"r">;
constexpr auto u = gate<"u">;
constexpr auto n = gate<"n">;

// clang-format off
struct my_gru {
    static constexpr auto equations = sluice::lines(
        r       = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">),
        u       = sigmoid(x * W<"u"> + h * R<"u"> + b<"u">),
        n       = tanh(x * W<"n"> + (r * h) * R<"n"> + b<"n">),
        next(h) = u * h + (1 - u) * n);
};
// clang-format on

} // namespace cost
