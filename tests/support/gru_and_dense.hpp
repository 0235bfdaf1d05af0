// SPDX-License-Identifier: BSL-1.0
// cuDNN's GRU and a dense layer after it as one cell: a step of an audio effect.
#pragma once

#include <sluice/sluice.hpp>

namespace support {

struct gru_and_dense {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        constexpr auto r = gate<"r">;
        constexpr auto u = gate<"u">;
        constexpr auto n = gate<"n">;
        return sluice::lines(r = sigmoid(x * W<"r"> + h * R<"r"> + b<"r">),
                             u = sigmoid(x * W<"u"> + h * R<"u"> + b<"u">),
                             n = tanh(x * W<"n"> + b<"n"> + r * (h * R<"n"> + b<"Rn">)),
                             next(h) = u * h + (1 - u) * n, output = next(h) * W<"y", 1> + b<"y">);
    }();
};

} // namespace support
