// SPDX-License-Identifier: BSL-1.0
// Comba (Hu et al., arXiv 2506.02475): a delta rule as a closed loop. It takes less of what the memory S has
// for a key back than it writes, and a part of the key out of the query.
//
//   q  = l2(silu(x W_q))                   query                          [batch, keys]
//   k  = l2(silu(x W_k))                   key, of length 1 in each head
//   v  = silu(x W_v)                       value                          [batch, units]
//   b  = sigmoid(x W_b)                    how much is written            [batch, heads]
//   a  = exp(-exp(A) . softplus(x W_a + dt))   decay of each head
//   S' = a S + b k (v - sigmoid(p) k S)^T  memory                         [batch, heads, keys, values]
//   y  = (q - d k) S'                      output                         [batch, units]
//
// p and d are trained numbers of each head: sigmoid(p) is the part of b that is erased, d the feedback of the
// output. k S is read before the decay, which is the paper's S (a - sigmoid(p) b k k^T) of the transposed
// state; the output is of the memory after the step. l2(z) = z / sqrt(sum of z^2 + 1e-6) within each head.
// `groups` is the number of heads, each of keys / groups features of q and k and units / groups of v. The
// factor keys^(-1/2) is not there. Convolutions, the normalisation and the gate of the output belong to the
// paper's block.
//
// A starts uniform from 0 to log 16, dt at the inverse softplus of 0.03, p at 0 and d at 0.02.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct comba {
    static constexpr std::string_view name = "Comba";
    static constexpr std::string_view source = "Hu et al., arXiv 2506.02475";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto keys = size<"keys">;
        constexpr auto q = gate<"q">;
        constexpr auto k = gate<"k">;
        constexpr auto v = gate<"v">;
        constexpr auto write = gate<"b">;
        constexpr auto a = gate<"a">;
        constexpr auto S = state<"S", keys, units, groups>;
        constexpr auto erased = per_group<groups>(sigmoid(vector<"p">));
        constexpr auto d = per_group<groups>(vector<"d">);
        // clang-format off
        return lines(
            q       = l2_norm<groups>(silu(x * W<"q", keys>)),
            k       = l2_norm<groups>(silu(x * W<"k", keys>)),
            v       = silu(x * W<"v">),
            write   = sigmoid(x * W<"b", groups>),
            a       = exp(-(exp(vector<"A">) * softplus(x * W<"a", groups> + bias<"dt">))),
            next(S) = column<groups>(per_group<groups>(a)) * S +
                      outer<groups>(k, per_group<groups>(write) * (v - erased * (k * S))),
            output  = (q - d * k) * next(S));
        // clang-format on
    }();

    struct initial_values {
        start operator()(parameter_role const& p, sizes const&) const {
            if (p.called.view() == "A")
                return {init::uniform{0, 2.772588722239781}};
            if (p.called.view() == "dt")
                return {init::constant{-3.4914665211}};
            if (p.called.view() == "p")
                return {init::zeros{}};
            if (p.called.view() == "d")
                return {init::constant{0.02}};
            return default_start(p);
        }
    };

    /// Four heads where they divide the units, and values twice as wide as keys.
    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {
            .input = input, .units = units, .groups = units % 8 == 0 ? 4u : 1u, .own = {{"keys", units / 2}}};
    }
};

} // namespace sluice
