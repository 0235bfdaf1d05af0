// SPDX-License-Identifier: BSL-1.0
// Linear attention: a memory S of what was seen, a matrix for each head, to which every step adds the outer
// product of its key and its value, and which the query reads.
//
//   q  = elu(x W_q) + 1                    query of `linear_attention`    [batch, units]
//   k  = elu(x W_k) + 1                    key
//   v  = x W_v                             value
//   S' = S + k v^T                         memory of each head            [batch, heads, keys, values]
//   z' = z + k                             sum of the keys
//   y  = q S' / sum of q . z'              output                         [batch, units]
//
//   q  = x W_q                             query of `gated_linear_attention`
//   k  = x W_k                             key
//   v  = x W_v                             value
//   f  = sigmoid(x W_f1 W_f2 + b_f)^(1/16) forget gate, for each feature of the key
//   S' = diag(f) S + k v^T                 memory of each head
//   y  = q S'                              output
//
// linear_attention (Katharopoulos et al., arXiv 2006.16236) is attention with the product of elu + 1 in the
// place of the softmax. gated_linear_attention (GLA, Yang et al., arXiv 2312.06635) forgets: its gate is of
// low rank, 16, and close to 1. Both read the memory after the step. The features of q, k, v and of the
// output are the units, and `groups` is the number of heads, each of units / groups features. The paper's
// factor keys^(-1/2) is not there: W_q takes it in. The normalisation and the gate of the output and
// the convolution of the input belong to the papers' blocks.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct linear_attention {
    static constexpr std::string_view name = "linear attention";
    static constexpr std::string_view source = "Katharopoulos et al., arXiv 2006.16236";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto q = gate<"q">;
        constexpr auto k = gate<"k">;
        constexpr auto v = gate<"v">;
        constexpr auto S = state<"S", units, units, groups>;
        constexpr auto z = state<"z">;
        // clang-format off
        return lines(
            q       = elu(x * W<"q">) + 1,
            k       = elu(x * W<"k">) + 1,
            v       = x * W<"v">,
            next(S) = S + outer<groups>(k, v),
            next(z) = z + k,
            output  = (q * next(S)) / sum<groups>(q * next(z)));
        // clang-format on
    }();
};

struct gated_linear_attention {
    static constexpr std::string_view name = "GLA";
    static constexpr std::string_view source = "Yang et al., arXiv 2312.06635";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto q = gate<"q">;
        constexpr auto k = gate<"k">;
        constexpr auto v = gate<"v">;
        constexpr auto f = gate<"f">;
        constexpr auto S = state<"S", units, units, groups>;
        // clang-format off
        return lines(
            q       = x * W<"q">,
            k       = x * W<"k">,
            v       = x * W<"v">,
            f       = pow(sigmoid((x * W<"f1", 16>) * W<"f2"> + b<"f">), 0.0625_n),
            next(S) = column<groups>(f) * S + outer<groups>(k, v),
            output  = q * next(S));
        // clang-format on
    }();
};

} // namespace sluice
