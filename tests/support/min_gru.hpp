// SPDX-License-Identifier: BSL-1.0
// A recurrence without a product in its loop, as in minGRU (arXiv 2410.01201).
#pragma once

#include <sluice/sluice.hpp>

namespace support {

struct min_gru {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        constexpr auto g = gate<"g">;
        return sluice::lines(g = sigmoid(x * W<"g"> + b<"g">), next(h) = (1 - g) * h + g * tanh(x * W<"n">));
    }();
};

} // namespace support
