// SPDX-License-Identifier: BSL-1.0
// RAN, the recurrent additive network (Lee, Levy and Zettlemoyer, arXiv 1705.07393): the memory is a weighted
// sum of inputs, and nothing but the gates is recurrent.
//
//   n  = x W_n                                     content               [batch, units]
//   i  = sigmoid(x W_i + h R_i + b_i)              input gate
//   f  = sigmoid(x W_f + h R_f + b_f)              forget gate
//   c' = i . n + f . c                             memory
//   h' = tanh(c')                                  state, and output
//
// The paper's g is tanh or the identity; this is the former.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct ran {
    static constexpr std::string_view name = "RAN";
    static constexpr std::string_view source = "Lee, Levy and Zettlemoyer, arXiv 1705.07393";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto n = gate<"n">;
        constexpr auto i = gate<"i">;
        constexpr auto f = gate<"f">;
        constexpr auto c = state<"c">;
        // clang-format off
        return lines(
            n       = x * W<"n">,
            i       = sigmoid(x * W<"i"> + h * R<"i"> + b<"i">),
            f       = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">),
            next(c) = i * n + f * c,
            next(h) = tanh(next(c)));
        // clang-format on
    }();
};

} // namespace sluice
