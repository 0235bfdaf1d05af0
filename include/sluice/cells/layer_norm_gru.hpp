// SPDX-License-Identifier: BSL-1.0
// GRU with layer normalisation (Ba et al., arXiv 1607.06450, supplementary material): what comes from the
// input and what comes from the state are normalised each by itself, the two gates together and the candidate
// apart.
//
//   [z, r] = sigmoid(norm(x [W_z, W_r]) . [p_xz, p_xr]                                   [batch, 2 units]
//                  + norm(h [R_z, R_r]) . [p_hz, p_hr] + [b_z, b_r])
//   n      = tanh(norm(x W_n) . p_xn + b_n + r . (norm(h R_n) . p_hn + b_hn))            [batch, units]
//   h'     = (1 - z) . h + z . n                             state, and output
//
//   norm(v) = (v - mean(v)) / sqrt(variance(v) + epsilon)
//
// In the lines below m is the mean and s the factor 1 / sqrt(...) of each product of the gates.
//
// As in `cudnn_gru` the reset gate r acts after the recurrent product; the update gate z lets the candidate
// in, where u of `gru` keeps the old state. The biases of the two normalisations of a gate, which the paper
// adds up, are one. epsilon is a setting, 1e-5 by default; the paper has none. Gains start at 1, biases at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct layer_norm_gru {
    static constexpr std::string_view name = "Layer-normalised GRU";
    static constexpr std::string_view source = "Ba et al., arXiv 1607.06450";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto z = gate<"z">;
        constexpr auto r = gate<"r">;
        constexpr auto n = gate<"n">;
        constexpr auto m_x = gate<"m_x">;
        constexpr auto s_x = gate<"s_x">;
        constexpr auto m_h = gate<"m_h">;
        constexpr auto s_h = gate<"s_h">;
        constexpr auto epsilon = setting<"epsilon">(1e-5_n);

        constexpr auto of_x = concat(x * W<"z">, x * W<"r">);
        constexpr auto of_h = concat(h * R<"z">, h * R<"r">);
        // clang-format off
        return lines(
            m_x     = mean(of_x),
            s_x     = rsqrt(variance(of_x) + epsilon),
            m_h     = mean(of_h),
            s_h     = rsqrt(variance(of_h) + epsilon),
            z       = sigmoid((x * W<"z"> - m_x) * s_x * p<"xz"> + (h * R<"z"> - m_h) * s_h * p<"hz"> + b<"z">),
            r       = sigmoid((x * W<"r"> - m_x) * s_x * p<"xr"> + (h * R<"r"> - m_h) * s_h * p<"hr"> + b<"r">),
            n       = tanh(layer_norm(x * W<"n">, p<"xn">, b<"n">, epsilon)
                         + r * layer_norm(h * R<"n">, p<"hn">, b<"hn">, epsilon)),
            next(h) = (1 - z) * h + z * n);
        // clang-format on
    }();

    struct initial_values {
        start operator()(parameter_role const& p, sizes const&) const {
            return p.rank == 1 && !p.is_bias ? start{init::ones{}} : default_start(p);
        }
    };
};

} // namespace sluice
