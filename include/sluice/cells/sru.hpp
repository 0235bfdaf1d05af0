// SPDX-License-Identifier: BSL-1.0
// SRU, the simple recurrent unit (Lei et al., arXiv 1709.02755v5): all products are of the input, so that
// those of a whole sequence are one; each unit's gates see that unit's memory alone.
//
//   f  = sigmoid(x W_f + p_f . c + b_f)            forget gate           [batch, units]
//   r  = sigmoid(x W_r + p_r . c + b_r)            reset gate
//   c' = f . c + (1 - f) . (x W_c)                 memory
//   y  = r . c' + (1 - r) . (x W_P)                output, with a highway past the memory
//
// The paper's highway is x itself, which is then as wide as the memory: `sru_with<false>` has no W_P. Earlier
// versions of the paper have no p, and a tanh around c'; the constant alpha by which the paper can scale the
// highway is 1. Matrices start uniform with variance 1 / input, biases at 0.
#pragma once

#include <cmath>
#include <sluice/expr/page.hpp>

namespace sluice {

template <bool Projected>
struct sru_with {
    static constexpr std::string_view name = "SRU";
    static constexpr std::string_view source = "Lei et al., arXiv 1709.02755v5";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto f = gate<"f">;
        constexpr auto r = gate<"r">;
        constexpr auto c = state<"c">;
        constexpr auto x_t = input_of<(Projected ? symbol::input : units)>;

        constexpr auto project = [](auto z) {
            if constexpr (Projected)
                return z * W<"P">;
            else
                return z;
        };
        // clang-format off
        return lines(
            f       = sigmoid(x_t * W<"f"> + p<"f"> * c + b<"f">),
            r       = sigmoid(x_t * W<"r"> + p<"r"> * c + b<"r">),
            next(c) = f * c + (1 - f) * (x_t * W<"c">),
            output  = r * next(c) + (1 - r) * project(x_t));
        // clang-format on
    }();

    struct initial_values {
        start operator()(parameter_role const& p, sizes const& n) const {
            double const bound = std::sqrt(3 / static_cast<double>(Projected ? n.input : n.units));
            return p.rank > 1 ? start{init::uniform{-bound, bound}} : default_start(p);
        }
    };
};

struct sru : sru_with<true> {};

} // namespace sluice
