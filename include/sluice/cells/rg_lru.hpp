// SPDX-License-Identifier: BSL-1.0
// RG-LRU, the real-gated linear recurrent unit of Griffin (De et al., arXiv 2402.19427, section 2.4): each
// feature by itself decays to a power that the input chooses.
//
//   u  = x W_u                             what is gated                  [batch, units]
//   r  = sigmoid(u W_r + b_r)              recurrence gate
//   i  = sigmoid(u W_i + b_i)              input gate
//   l  = 8 r . log(sigmoid(decay))         logarithm of a
//   a  = exp(l)                            what is kept
//   h' = a . h + sqrt(1 - a^2) . (i . u)   state, and output              [batch, units]
//
// u is the x of the paper, which the product in front of the cell gives in its block; the paper calls W_r
// and W_i W_a and W_x. 1 - a^2 is -expm1(2 l), exactly also where a is close to 1; where a is 1, its square
// root has an infinite derivative, which no finite decay reaches in exact numbers. The convolution and the
// gate around the cell belong to the paper's block.
//
// decay starts uniform between the values with which sigmoid(decay)^8 is 0.9 and 0.999, the bounds of the
// paper.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct rg_lru {
    static constexpr std::string_view name = "RG-LRU";
    static constexpr std::string_view source = "De et al., arXiv 2402.19427";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto u = gate<"u">;
        constexpr auto r = gate<"r">;
        constexpr auto i = gate<"i">;
        constexpr auto l = gate<"l">;
        // clang-format off
        return lines(
            u       = x * W<"u", units>,
            r       = sigmoid(u * W<"r"> + b<"r">),
            i       = sigmoid(u * W<"i"> + b<"i">),
            l       = 8_n * r * log_sigmoid(vector<"decay">),
            next(h) = exp(l) * h + sqrt(-expm1(2_n * l)) * (i * u));
        // clang-format on
    }();

    struct initial_values {
        start operator()(parameter_role const& p, sizes const&) const {
            return p.called.view() == "decay" ? start{init::uniform{4.3230, 8.9867}} : default_start(p);
        }
    };
};

} // namespace sluice
