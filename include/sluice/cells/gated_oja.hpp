// SPDX-License-Identifier: BSL-1.0
// Oja's rule with a gate: a memory S, a matrix for each head, that moves towards the key k in the direction
// of the value v by the part of k that S does not already give for v. It is the delta rule from the other
// side, with keys and values in each other's place.
//
//   q  = x W_q                             query                          [batch, keys]
//   k  = silu(x W_k)                       key
//   v  = l2(silu(x W_v))                   value, of length 1 in each head    [batch, units]
//   b  = sigmoid(x W_b)                    how much is learned            [batch, heads]
//   a  = exp(-exp(A) . softplus(x W_a + dt))   decay of each feature of the value    [batch, units]
//   T  = S diag(a)                         what is kept                   [batch, heads, keys, values]
//   S' = T + b (k - T v) v^T               memory
//   y  = q S'                              output                         [batch, units]
//
// The rule is Oja's (J. Math. Biology 15, 1982), as a layer that programs its weights that of Irie, Schlag
// and Schmidhuber, arXiv 2210.06184; the decay is that of Kimi Delta Attention, on the values. T v is read
// after the decay, and the output after the step. l2(z) = z / sqrt(sum of z^2 + 1e-6) within each head.
// `groups` is the number of heads, each of keys / groups features of q and k and units / groups of v.
//
// A starts uniform from 0 to log 16, and dt at the inverse softplus of 0.03, as in delta_net.hpp.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct gated_oja {
    static constexpr std::string_view name = "gated Oja";
    static constexpr std::string_view source = "Irie, Schlag and Schmidhuber, arXiv 2210.06184";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto keys = size<"keys">;
        constexpr auto q = gate<"q">;
        constexpr auto k = gate<"k">;
        constexpr auto v = gate<"v">;
        constexpr auto learned = gate<"b">;
        constexpr auto a = gate<"a">;
        constexpr auto T = gate<"T">;
        constexpr auto S = state<"S", keys, units, groups>;
        // clang-format off
        return lines(
            q       = x * W<"q", keys>,
            k       = silu(x * W<"k", keys>),
            v       = l2_norm<groups>(silu(x * W<"v">)),
            learned = sigmoid(x * W<"b", groups>),
            a       = exp(-(per_group<groups>(exp(vector<"A">)) * softplus(x * W<"a"> + bias<"dt">))),
            T       = row<groups>(a) * S,
            next(S) = T + outer<groups>(per_group<groups>(learned) * (k - T * v), v),
            output  = q * next(S));
        // clang-format on
    }();

    struct initial_values {
        start operator()(parameter_role const& p, sizes const&) const {
            if (p.called.view() == "A")
                return {init::uniform{0, 2.772588722239781}};
            if (p.called.view() == "dt")
                return {init::constant{-3.4914665211}};
            return default_start(p);
        }
    };

    /// Four heads where they divide the units.
    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {.input = input, .units = units, .groups = units % 4 == 0 ? 4u : 1u, .own = {{"keys", units}}};
    }
};

} // namespace sluice
