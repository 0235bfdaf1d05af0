// SPDX-License-Identifier: BSL-1.0
// Memories that learn while they are read: a linear model M, a matrix for each head, takes a step down the
// gradient of its squared error at each step of the sequence.
//
//   q  = x W_q                             query of `ttt_linear`          [batch, units]
//   k  = x W_k                             what M is given
//   v  = x W_v                             what M has to give
//   b  = rate sigmoid(x W_b + b_b)         how far a step goes            [batch, heads]
//   l  = |k M - v|^2                       loss                           [batch]
//   M' = M - b dl/dM                       model                          [batch, heads, keys, values]
//   y  = q M'                              output                         [batch, units]
//
//   q  = l2(silu(x W_q))                   query of `titans`; k likewise, v = silu(x W_v)
//   l  = |k M - v|^2                       loss                           [batch]
//   S' = c S - b dl/dM                     surprise, with momentum        [batch, heads, keys, values]
//   M' = (1 - a) M + S'                    model, which forgets
//   a  = sigmoid(x W_a + b_a), b = sigmoid(x W_b + b_b), c = sigmoid(x W_c + b_c)      [batch, heads]
//   y  = q M'                              output
//
// ttt_linear is TTT-Linear of Sun et al., arXiv 2407.04620, with one step of gradient descent for each step
// of the sequence (mini-batches of 1) and the model k M alone: its paper adds k and normalises k M first.
// titans is Behrouz, Zhong and Mirrokni, arXiv 2501.00663, section 3.1, with a linear memory. The library
// finds dl/dM, which is 2 k (k M - v)^T in each head; both read the model after the step. Models start
// with zeros, where that of TTT is trained. l2(z) = z / sqrt(sum of z^2 + 1e-6) within each head. `groups` is
// the number of heads, each of units / groups features. "rate" is a setting, 1 by default. Convolutions and
// the normalisation and gate of the output belong to the papers' blocks.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct ttt_linear {
    static constexpr std::string_view name = "TTT-Linear";
    static constexpr std::string_view source = "Sun et al., arXiv 2407.04620";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto q = gate<"q">;
        constexpr auto k = gate<"k">;
        constexpr auto v = gate<"v">;
        constexpr auto step = gate<"b">;
        constexpr auto loss = gate<"loss">;
        constexpr auto M = state<"M", units, units, groups>;
        // clang-format off
        return lines(
            q       = x * W<"q">,
            k       = x * W<"k">,
            v       = x * W<"v">,
            step    = setting<"rate">(1_n) * sigmoid(x * W<"b", groups> + b<"b">),
            loss    = sum(square(k * M - v)),
            next(M) = M - row<groups>(per_group<groups>(step)) * derivative(loss, M),
            output  = q * next(M));
        // clang-format on
    }();
};

struct titans {
    static constexpr std::string_view name = "Titans";
    static constexpr std::string_view source = "Behrouz, Zhong and Mirrokni, arXiv 2501.00663";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto q = gate<"q">;
        constexpr auto k = gate<"k">;
        constexpr auto v = gate<"v">;
        constexpr auto a = gate<"a">;
        constexpr auto step = gate<"b">;
        constexpr auto c = gate<"c">;
        constexpr auto loss = gate<"loss">;
        constexpr auto S = state<"S", units, units, groups>;
        constexpr auto M = state<"M", units, units, groups>;
        // clang-format off
        return lines(
            q       = l2_norm<groups>(silu(x * W<"q">)),
            k       = l2_norm<groups>(silu(x * W<"k">)),
            v       = silu(x * W<"v">),
            a       = sigmoid(x * W<"a", groups> + b<"a">),
            step    = sigmoid(x * W<"b", groups> + b<"b">),
            c       = sigmoid(x * W<"c", groups> + b<"c">),
            loss    = sum(square(k * M - v)),
            next(S) = row<groups>(per_group<groups>(c)) * S -
                      row<groups>(per_group<groups>(step)) * derivative(loss, M),
            next(M) = row<groups>(per_group<groups>(1 - a)) * M + next(S),
            output  = q * next(M));
        // clang-format on
    }();
};

} // namespace sluice
