// SPDX-License-Identifier: BSL-1.0
// sLSTM of xLSTM (Beck et al., arXiv 2405.04517), stabilised: an input gate that is an exponential, a
// normaliser n that adds up what the gates let in, and the largest exponent m so far, which is taken out of
// both sums so that nothing overflows. The states and the gates of a head meet those of the same head only.
//
//   z  = tanh(x W_z + h (x) R_z + b_z)             cell input                       [batch, units]
//   i  = x W_i + h (x) R_i + b_i                   logarithm of the input gate
//   f  = log(sigmoid(x W_f + h (x) R_f + b_f))     logarithm of the forget gate
//   o  = sigmoid(x W_o + h (x) R_o + b_o)          output gate
//   e  = f + m where n > 0, else i                 exponent of what is kept; an empty memory has none
//   m' = max(e, i)                                 stabiliser
//   c' = exp(e - m') . c + exp(i - m') . z         cell
//   n' = exp(e - m') . n + exp(i - m')             normaliser
//   h' = o . c' / n'                               state, and output
//
// (x) is the product over feature groups, the heads: R_z is [heads, units / heads, units / heads], with the
// cell's groups for heads. The paper's m' is max(f + m, i), and e takes care of the first step: c / n is the
// same whatever m is, so that m starts at 0 as all states do. Of the two forget gates of the paper, an
// exponential and a sigmoid, this is the sigmoid. The causal convolution and the normalisation around the
// cell belong to the paper's block.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct slstm {
    static constexpr std::string_view name = "sLSTM";
    static constexpr std::string_view source = "Beck et al., arXiv 2405.04517";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto z = gate<"z">;
        constexpr auto i = gate<"i">;
        constexpr auto f = gate<"f">;
        constexpr auto o = gate<"o">;
        constexpr auto e = gate<"e">;
        constexpr auto m = state<"m">;
        constexpr auto c = state<"c">;
        constexpr auto n = state<"n">;
        // clang-format off
        return lines(
            z       = tanh(x * W<"z"> + h * grouped(R<"z">) + b<"z">),
            i       = x * W<"i"> + h * grouped(R<"i">) + b<"i">,
            f       = log_sigmoid(x * W<"f"> + h * grouped(R<"f">) + b<"f">),
            o       = sigmoid(x * W<"o"> + h * grouped(R<"o">) + b<"o">),
            e       = where(n > 0_n, f + m, i),
            next(m) = max(e, i),
            next(c) = exp(e - next(m)) * c + exp(i - next(m)) * z,
            next(n) = exp(e - next(m)) * n + exp(i - next(m)),
            next(h) = o * next(c) / next(n));
        // clang-format on
    }();

    /// Four heads, as the paper's models have, where they divide the units.
    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {.input = input, .units = units, .groups = units % 4 == 0 ? 4u : 1u};
    }
};

} // namespace sluice
