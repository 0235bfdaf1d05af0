// SPDX-License-Identifier: BSL-1.0
// minGRU and minLSTM (Feng et al., Were RNNs All We Needed?, arXiv 2410.01201): gates of the input alone, so
// that only a multiplication and an addition are left from step to step.
//
//   z  = sigmoid(x W_z + b_z)              update gate of minGRU       [batch, units]
//   n  = x W_n + b_n                       candidate
//   h' = (1 - z) . h + z . n               state, and output
//
//   f  = sigmoid(x W_f + b_f)              forget gate of minLSTM      [batch, units]
//   i  = sigmoid(x W_i + b_i)              input gate
//   n  = x W_n + b_n                       candidate
//   h' = (f . h + i . n) / (f + i)         state, and output
//
// z lets the candidate in, where u of `gru` keeps the old state. The paper's parallel version, which works
// with logarithms, passes the candidate through a function that makes it positive; its plain version, this
// one, does not. minLSTM is the one whose gates are divided by their sum.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct min_gru {
    static constexpr std::string_view name = "minGRU";
    static constexpr std::string_view source = "Feng et al., arXiv 2410.01201";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto z = gate<"z">;
        constexpr auto n = gate<"n">;
        // clang-format off
        return lines(
            z       = sigmoid(x * W<"z"> + b<"z">),
            n       = x * W<"n"> + b<"n">,
            next(h) = (1 - z) * h + z * n);
        // clang-format on
    }();
};

struct min_lstm {
    static constexpr std::string_view name = "minLSTM";
    static constexpr std::string_view source = "Feng et al., arXiv 2410.01201";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto f = gate<"f">;
        constexpr auto i = gate<"i">;
        constexpr auto n = gate<"n">;
        // clang-format off
        return lines(
            f       = sigmoid(x * W<"f"> + b<"f">),
            i       = sigmoid(x * W<"i"> + b<"i">),
            n       = x * W<"n"> + b<"n">,
            next(h) = f / (f + i) * h + i / (f + i) * n);
        // clang-format on
    }();
};

} // namespace sluice
