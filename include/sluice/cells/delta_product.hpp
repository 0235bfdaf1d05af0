// SPDX-License-Identifier: BSL-1.0
// DeltaProduct (Siems et al., arXiv 2502.10297): several delta rules within one step, each with a key, a
// value and a rate of its own, so that a step multiplies the memory with a product of Householder matrices.
// delta_product has two; `delta_product_of<n>` has any number.
//
//   q   = l2(silu(x W_q))                  query                          [batch, keys]
//   k0  = l2(silu(x W_k0))                 key of the first update, of length 1 in each head; k1 likewise
//   v0  = silu(x W_v0)                     its value                      [batch, units]
//   b0  = range sigmoid(x W_b0)            how much is replaced           [batch, heads]
//   S0  = S + b0 k0 (v0 - k0 S)^T          first update
//   S'  = S0 + b1 k1 (v1 - k1 S0)^T        memory                         [batch, heads, keys, values]
//   y   = q S'                             output                         [batch, units]
//
// `range` is a setting, 2 by default: rates from 0 to 2 let the eigenvalues of a step go from -1 to 1, so
// that it can reflect; with 1 and one update this is DeltaNet. The memory is read after all updates.
// l2(z) = z / sqrt(sum of z^2 + 1e-6) within each head. `groups` is the number of heads, each of keys /
// groups features of q and k and units / groups of v. The paper's gated form, which decays before the first
// update, is not this one. Convolutions, the normalisation and the gate of the output belong to the paper's
// block.
#pragma once

#include <sluice/expr/page.hpp>
#include <utility>

namespace sluice {

template <int Updates>
struct delta_product_of {
    static constexpr std::string_view name = "DeltaProduct";
    static constexpr std::string_view source = "Siems et al., arXiv 2502.10297";

    template <int I>
    static constexpr auto key = equation::gate<numbered<"k", I>>;
    template <int I>
    static constexpr auto value = equation::gate<numbered<"v", I>>;
    template <int I>
    static constexpr auto rate = equation::gate<numbered<"b", I>>;

    template <int I>
    static constexpr auto factors = [] {
        using namespace equation;
        // clang-format off
        return lines(
            key<I>   = l2_norm<groups>(silu(x * W<numbered<"k", I>, size<"keys">>)),
            value<I> = silu(x * W<numbered<"v", I>>),
            rate<I>  = setting<"range">(2_n) * sigmoid(x * W<numbered<"b", I>, groups>));
        // clang-format on
    }();

    static constexpr auto equations = []<int... I>(std::integer_sequence<int, I...>) {
        using namespace equation;
        constexpr auto q = gate<"q">;
        constexpr auto S = state<"S", size<"keys">, units, groups>;
        constexpr auto update = [](auto T, auto i) {
            constexpr int at = decltype(i)::value;
            return T + outer<groups>(key<at>, per_group<groups>(rate<at>) * (value<at> - key<at> * T));
        };
        // clang-format off
        return lines(
            factors<I>...,
            lines(
                q       = l2_norm<groups>(silu(x * W<"q", size<"keys">>)),
                next(S) = repeat<Updates>(S, update),
                output  = q * next(S)));
        // clang-format on
    }
    (std::make_integer_sequence<int, Updates>{});

    /// Four heads where they divide the units.
    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {.input = input, .units = units, .groups = units % 4 == 0 ? 4u : 1u, .own = {{"keys", units}}};
    }
};

struct delta_product : delta_product_of<2> {};

} // namespace sluice
