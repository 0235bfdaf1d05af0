// SPDX-License-Identifier: BSL-1.0
// The residual block of xLSTM with an mLSTM in it (Beck et al., arXiv 2405.04517, section 2.4 and appendix
// A.4), as a layer: it normalises what it reads, widens it, and the stack adds x.
//
//   sluice::stack<sluice::mlstm_block> blocks(
//       {.input = 64, .units = 128, .groups = 4}, {.layers = 6, .residual = sluice::residual::all});
//
//   s  = layer_norm(x, p_s, b_s)           with epsilon 1e-5              [batch, input]
//   u  = s W_u                             what the cell reads            [batch, units]
//   z  = s W_z                             gate of the output
//   c  = silu(c_0 . u + ... + c_3 . u_t-3 + b_c)    convolution along time, of each feature by itself
//   q  = c W_q                             query, and so on: the cell of mlstm.hpp
//   k  = c W_k / sqrt(keys)                key; keys are the features of a head
//   v  = u W_v                             value
//   i  = c W_i + b_i                       logarithm of the input gate    [batch, heads]
//   f  = log(sigmoid(c W_f + b_f))         logarithm of the forget gate
//   m' = max(f + m, i, 0)                  stabiliser
//   C' = exp(f + m - m') C + exp(i - m') k v^T    memory                  [batch, heads, keys, values]
//   n' = exp(f + m - m') n + exp(i - m') k        normaliser              [batch, units]
//   r  = (q C') / max(|q . n'|, exp(-m'))         what is read
//   o  = p_r . (r - mean(r)) / sqrt(variance(r) + 1e-5) + p_c . c    normalised in each head, and a skip
//   y  = (o . silu(z)) W_o                 output                         [batch, input]
//
// The paper's units are twice the input, and its q, k and v are products with blocks of four features, where
// these are full matrices; the block has the gate z in the place of mLSTM's output gate. u is 0 before the
// first step. `groups` is the number of heads.
//
// Gains start at 1, the convolution as one step by itself, c_0 = 1; b_f uniform from 3 to 6, b_i at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct mlstm_block {
    static constexpr std::string_view name = "xLSTM, mLSTM block";
    static constexpr std::string_view source = "Beck et al., arXiv 2405.04517";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto s = gate<"s">;
        constexpr auto u = gate<"u">;
        constexpr auto z = gate<"z">;
        constexpr auto c = gate<"c">;
        constexpr auto q = gate<"q">;
        constexpr auto k = gate<"k">;
        constexpr auto v = gate<"v">;
        constexpr auto i = gate<"i">;
        constexpr auto f = gate<"f">;
        constexpr auto r = gate<"r">;
        constexpr auto o = gate<"o">;
        constexpr auto m = state<"m", groups>;
        constexpr auto C = state<"C", units, units, groups>;
        constexpr auto n = state<"n">;
        constexpr auto kept = per_group<groups>(exp(f + m - next(m)));
        constexpr auto let_in = per_group<groups>(exp(i - next(m)));
        // clang-format off
        return lines(
            s       = layer_norm(x, p<"s">, b<"s">),
            u       = s * W<"u", units>,
            z       = s * W<"z", units>,
            c       = silu(convolution<4>(u) + b<"c">),
            q       = c * W<"q", units>,
            k       = c * W<"k", units> * rsqrt(features<groups>(q)),
            v       = u * W<"v", units>,
            i       = c * W<"i", groups> + b<"i">,
            f       = log_sigmoid(c * W<"f", groups> + b<"f">),
            next(m) = max(max(f + m, i), 0_n),
            next(C) = column<groups>(kept) * C + outer<groups>(let_in * k, v),
            next(n) = kept * n + let_in * k,
            r       = (q * next(C)) / max(abs(sum<groups>(q * next(n))), per_group<groups>(exp(-next(m)))),
            o       = (r - mean<groups>(r)) * rsqrt(variance<groups>(r) + 1e-5_n) * p<"r"> + p<"c"> * c,
            output  = (o * silu(z)) * W<"o", size<"input">>);
        // clang-format on
    }();

    struct initial_values {
        start operator()(parameter_role const& p, sizes const&) const {
            std::string_view const called = p.called.view();
            if (called.starts_with("p_") || called == "c_0")
                return {init::ones{}};
            if (called == "b_f")
                return {init::uniform{3, 6}};
            return called.starts_with("c_") ? start{init::zeros{}} : default_start(p);
        }
    };

    /// Four heads, as the paper's models have, where they divide the units.
    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {.input = input, .units = units, .groups = units % 4 == 0 ? 4u : 1u};
    }
};

} // namespace sluice
