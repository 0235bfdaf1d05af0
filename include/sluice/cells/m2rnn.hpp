// SPDX-License-Identifier: BSL-1.0
// M2RNN (Mishra et al., arXiv 2603.14360): a memory S, a matrix for each head, that is a recurrent state as
// of an RNN: each of its rows is multiplied with a matrix, and the tanh of that and of what is new replaces a
// part of it.
//
//   q  = x W_q                             query                          [batch, keys]
//   k  = x W_k                             key
//   v  = x W_v                             value                          [batch, units]
//   f  = exp(-exp(A) . softplus(x W_f + dt))   how much each head keeps   [batch, heads]
//   Z  = tanh(S W + k v^T)                 candidate                      [batch, heads, keys, values]
//   S' = f S + (1 - f) Z                   memory
//   y  = q S'                              output                         [batch, units]
//
// W is a matrix [values, values] of each head. The output is of the memory after the step. `groups` is the
// number of heads, each of keys / groups features of q and k and units / groups of v; the paper can share
// some of q, k, v and W between heads. Convolutions, the skip from v, and the normalisation and the gate of
// the output belong to the paper's block.
//
// A starts uniform from 0 to log 16, and dt at the inverse softplus of 0.03, as of gated_delta_net.
#pragma once

#include <sluice/cells/delta_net.hpp>

namespace sluice {

struct m2rnn {
    static constexpr std::string_view name = "M2RNN";
    static constexpr std::string_view source = "Mishra et al., arXiv 2603.14360";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto keys = size<"keys">;
        constexpr auto q = gate<"q">;
        constexpr auto k = gate<"k">;
        constexpr auto v = gate<"v">;
        constexpr auto f = gate<"f">;
        constexpr auto Z = gate<"Z">;
        constexpr auto S = state<"S", keys, units, groups>;
        constexpr auto kept = row<groups>(per_group<groups>(f));
        // clang-format off
        return lines(
            q       = x * W<"q", keys>,
            k       = x * W<"k", keys>,
            v       = x * W<"v">,
            f       = exp(-(exp(vector<"A">) * softplus(x * W<"f", groups> + bias<"dt">))),
            Z       = tanh(S * grouped(matrix<"W">) + outer<groups>(k, v)),
            next(S) = kept * S + (1 - kept) * Z,
            output  = q * next(S));
        // clang-format on
    }();

    using initial_values = detail::delta_words::initial_values;

    /// Four heads where they divide the units, and values twice as wide as keys.
    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {
            .input = input, .units = units, .groups = units % 8 == 0 ? 4u : 1u, .own = {{"keys", units / 2}}};
    }
};

} // namespace sluice
