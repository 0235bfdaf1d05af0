// SPDX-License-Identifier: BSL-1.0
// RetNet's retention (Sun et al., arXiv 2307.08621, section 2.1): linear attention that forgets, each head
// with a half-life of its own, which is not learned.
//
//   q  = x W_q                             query                          [batch, keys]
//   k  = x W_k                             key
//   v  = x W_v                             value                          [batch, units]
//   S' = a S + k v^T                       memory of each head            [batch, heads, keys, values]
//   y  = q S'                              output                         [batch, units]
//
// a = 1 - 2^(-5 - h) of head h = 0, 1, ... is a constant, given as the fixed vector "a". The memory is read
// after the step. `groups` is the number of heads; each has keys / groups features of q and k and
// units / groups of v, of which the paper has twice as many. The paper's rotation of q and k by their
// position, xPos, is not there, nor is the factor keys^(-1/2): W_k takes it in. The normalisation of each
// head and the gate of the output belong to the paper's block.
#pragma once

#include <cmath>
#include <sluice/expr/page.hpp>
#include <vector>

namespace sluice {

struct retnet {
    static constexpr std::string_view name = "RetNet";
    static constexpr std::string_view source = "Sun et al., arXiv 2307.08621";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto keys = size<"keys">;
        constexpr auto q = gate<"q">;
        constexpr auto k = gate<"k">;
        constexpr auto v = gate<"v">;
        constexpr auto S = state<"S", keys, units, groups>;
        constexpr auto a = per_group<groups>(fixed(vector<"a">));
        // clang-format off
        return lines(
            q       = x * W<"q">,
            k       = x * W<"k">,
            v       = x * W<"v">,
            next(S) = column<groups>(a) * S + outer<groups>(k, v),
            output  = q * next(S));
        // clang-format on
    }();

    struct initial_values {
        start operator()(parameter_role const& p, sizes const& n) const {
            if (p.called.view() != "a")
                return default_start(p);
            std::vector<double> decays;
            for (std::size_t head = 0; head < n.groups; ++head)
                decays.push_back(1 - std::exp2(-5 - static_cast<double>(head)));
            return {init::values{decays}};
        }
    };

    /// Four heads where they divide the units, and values twice as wide as keys.
    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {
            .input = input, .units = units, .groups = units % 8 == 0 ? 4u : 1u, .own = {{"keys", units / 2}}};
    }
};

} // namespace sluice
