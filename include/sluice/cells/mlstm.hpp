// SPDX-License-Identifier: BSL-1.0
// mLSTM of xLSTM (Beck et al., arXiv 2405.04517, section 2.3, appendix A), stabilised: a memory C, a matrix
// for each head, an input gate that is an exponential, and a normaliser n that adds up what the gates let in
// of the keys. The largest exponent m so far is taken out of both, so that nothing overflows.
//
//   q  = x W_q + b_q                       query                          [batch, units]
//   k  = x W_k / sqrt(keys) + b_k          key; keys are the features of a head
//   v  = x W_v + b_v                       value
//   i  = x W_i + b_i                       logarithm of the input gate    [batch, heads]
//   f  = log(sigmoid(x W_f + b_f))         logarithm of the forget gate
//   o  = sigmoid(x W_o + b_o)              output gate                    [batch, units]
//   m' = max(f + m, i, 0)                  stabiliser                     [batch, heads]
//   C' = exp(f + m - m') C + exp(i - m') k v^T    memory                  [batch, heads, keys, values]
//   n' = exp(f + m - m') n + exp(i - m') k        normaliser              [batch, units]
//   y  = o . (q C') / max(|q . n'|, exp(-m'))     output                  [batch, units]
//
// q . n' is the sum over the features of a head. Without m, C and n are larger by exp(m), and the bound of
// the divisor is 1: the output is the same whatever m is. The paper's m' is max(f + m, i), with which
// exp(-m') overflows where no gate is open. The memory is read after the step. `groups` is the number of
// heads, each of units / groups features of q, k and v. Of the two forget gates of the paper, an exponential
// and a sigmoid, this is the sigmoid. The convolution, the normalisation of each head and the projections
// around the cell belong to the paper's block.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct mlstm {
    static constexpr std::string_view name = "mLSTM";
    static constexpr std::string_view source = "Beck et al., arXiv 2405.04517";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto q = gate<"q">;
        constexpr auto k = gate<"k">;
        constexpr auto v = gate<"v">;
        constexpr auto i = gate<"i">;
        constexpr auto f = gate<"f">;
        constexpr auto o = gate<"o">;
        constexpr auto m = state<"m", groups>;
        constexpr auto C = state<"C", units, units, groups>;
        constexpr auto n = state<"n">;
        constexpr auto kept = per_group<groups>(exp(f + m - next(m)));
        constexpr auto let_in = per_group<groups>(exp(i - next(m)));
        // clang-format off
        return lines(
            q       = x * W<"q"> + b<"q">,
            k       = x * W<"k"> * rsqrt(features<groups>(q)) + b<"k">,
            v       = x * W<"v"> + b<"v">,
            i       = x * W<"i"> + b<"i">,
            f       = log_sigmoid(x * W<"f"> + b<"f">),
            o       = sigmoid(x * W<"o"> + b<"o">),
            next(m) = max(max(f + m, i), 0_n),
            next(C) = column<groups>(kept) * C + outer<groups>(let_in * k, v),
            next(n) = kept * n + let_in * k,
            output  = o * (q * next(C)) / max(abs(sum<groups>(q * next(n))), per_group<groups>(exp(-next(m)))));
        // clang-format on
    }();

    /// Four heads, as the paper's models have, where they divide the units.
    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {.input = input, .units = units, .groups = units % 4 == 0 ? 4u : 1u};
    }
};

} // namespace sluice
