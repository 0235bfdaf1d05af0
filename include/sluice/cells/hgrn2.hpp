// SPDX-License-Identifier: BSL-1.0
// HGRN2 (Qin et al., arXiv 2404.07904): the forget gate of a hierarchically gated network, whose state is
// widened from a vector to a matrix for each head by an outer product. What the gate lets go of is the key.
//
//   f  = l + (1 - l) sigmoid(x W_f + b_f)  forget gate, of each feature of the key   [batch, keys]
//   i  = silu(x W_i + b_i)                 value                                     [batch, units]
//   o  = sigmoid(x W_o + b_o)              query, the output gate                    [batch, keys]
//   S' = diag(f) S + (1 - f) i^T           memory of each head            [batch, heads, keys, values]
//   y  = o S'                              output                                    [batch, units]
//
// l is the bound below which no gate forgets, the setting "lower_bound", 0 by default; in the paper it is
// learned for each layer, larger in each than in the one before. The memory is read after the step. `groups`
// is the number of heads; each has keys / groups features of f and o and units / groups of i. The
// normalisation around the cell belongs to the paper's block.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct hgrn2 {
    static constexpr std::string_view name = "HGRN2";
    static constexpr std::string_view source = "Qin et al., arXiv 2404.07904";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto keys = size<"keys">;
        constexpr auto f = gate<"f">;
        constexpr auto i = gate<"i">;
        constexpr auto o = gate<"o">;
        constexpr auto S = state<"S", keys, units, groups>;
        constexpr auto low = setting<"lower_bound">(0_n);
        // clang-format off
        return lines(
            f       = low + (1 - low) * sigmoid(x * W<"f"> + b<"f">),
            i       = silu(x * W<"i"> + b<"i">),
            o       = sigmoid(x * W<"o"> + b<"o">),
            next(S) = column<groups>(f) * S + outer<groups>(1 - f, i),
            output  = o * next(S));
        // clang-format on
    }();

    /// Four heads where they divide the units.
    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {.input = input, .units = units, .groups = units % 4 == 0 ? 4u : 1u, .own = {{"keys", units}}};
    }
};

} // namespace sluice
