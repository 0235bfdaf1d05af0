// SPDX-License-Identifier: BSL-1.0
// LSTM with layer normalisation (Ba et al., arXiv 1607.06450, supplementary material): what comes from the
// input and what comes from the state are normalised each by itself, over all four gates together, and so is
// the cell where it is put out.
//
//   [f, i, o, g] = norm(x [W_f, W_i, W_o, W_g]) . [p_xf, p_xi, p_xo, p_xg]                [batch, 4 units]
//                + norm(h [R_f, R_i, R_o, R_g]) . [p_hf, p_hi, p_ho, p_hg] + [b_f, b_i, b_o, b_g]
//   c' = sigmoid(f) . c + sigmoid(i) . tanh(g)             cell                            [batch, units]
//   h' = sigmoid(o) . tanh(norm(c') . p_c + b_c)           state, and output
//
//   norm(z) = (z - mean(z)) / sqrt(variance(z) + epsilon)
//
// In the lines below m is the mean and s the factor 1 / sqrt(...) of each product.
//
// The biases of the two normalisations and that of the gates, which the paper adds up, are one. epsilon is a
// setting, 1e-5 by default; the paper has none. TensorFlow's LayerNormBasicLSTMCell is another cell: it
// normalises each gate by itself, after the two products are added, and keeps the normalised c. Gains start
// at 1, biases at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct layer_norm_lstm {
    static constexpr std::string_view name = "Layer-normalised LSTM";
    static constexpr std::string_view source = "Ba et al., arXiv 1607.06450";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto f = gate<"f">;
        constexpr auto i = gate<"i">;
        constexpr auto o = gate<"o">;
        constexpr auto g = gate<"g">;
        constexpr auto c = state<"c">;
        constexpr auto m_x = gate<"m_x">;
        constexpr auto s_x = gate<"s_x">;
        constexpr auto m_h = gate<"m_h">;
        constexpr auto s_h = gate<"s_h">;
        constexpr auto epsilon = setting<"epsilon">(1e-5_n);

        constexpr auto of_x = concat(x * W<"f">, x * W<"i">, x * W<"o">, x * W<"g">);
        constexpr auto of_h = concat(h * R<"f">, h * R<"i">, h * R<"o">, h * R<"g">);
        // clang-format off
        return lines(
            m_x     = mean(of_x),
            s_x     = rsqrt(variance(of_x) + epsilon),
            m_h     = mean(of_h),
            s_h     = rsqrt(variance(of_h) + epsilon),
            f       = (x * W<"f"> - m_x) * s_x * p<"xf"> + (h * R<"f"> - m_h) * s_h * p<"hf"> + b<"f">,
            i       = (x * W<"i"> - m_x) * s_x * p<"xi"> + (h * R<"i"> - m_h) * s_h * p<"hi"> + b<"i">,
            o       = (x * W<"o"> - m_x) * s_x * p<"xo"> + (h * R<"o"> - m_h) * s_h * p<"ho"> + b<"o">,
            g       = (x * W<"g"> - m_x) * s_x * p<"xg"> + (h * R<"g"> - m_h) * s_h * p<"hg"> + b<"g">,
            next(c) = sigmoid(f) * c + sigmoid(i) * tanh(g),
            next(h) = sigmoid(o) * tanh(layer_norm(next(c), p<"c">, b<"c">, epsilon)));
        // clang-format on
    }();

    struct initial_values {
        start operator()(parameter_role const& p, sizes const&) const {
            return p.rank == 1 && !p.is_bias ? start{init::ones{}} : default_start(p);
        }
    };
};

} // namespace sluice
