// SPDX-License-Identifier: BSL-1.0
// A residual block of Griffin (De et al., arXiv 2402.19427, sections 2.1 to 2.4), as two layers of a stack.
// The recurrent block mixes steps, the gated MLP features; each normalises what it reads, and the stack adds
// x:
//
//   sluice::stack<sluice::layers<sluice::griffin_mixing, sluice::griffin_mlp>> block(
//       {{.input = 64, .units = 96}, {.units = 192}}, {.residual = sluice::residual::all}, sluice::seed{7});
//
//   n  = rms_norm(x, p_n)                  both, with epsilon 1e-5        [batch, input]
//
//   g  = gelu(n W_g)                       `griffin_mixing`: gate of the output   [batch, units]
//   u  = n W_u                             what is mixed
//   c  = c_0 . u + ... + c_3 . u_t-3 + b_c     convolution along time, of each feature by itself
//   r  = sigmoid(c W_r + b_r)              recurrence gate of RG-LRU (rg_lru.hpp)
//   i  = sigmoid(c W_i + b_i)              its input gate
//   l  = 8 r . log(sigmoid(decay))         logarithm of what is kept
//   h' = exp(l) . h + sqrt(1 - exp(2 l)) . (i . c)    state
//   y  = (g . h') W_o                      output                         [batch, input]
//
//   y  = (gelu(n W_g) . (n W_u)) W_o       `griffin_mlp`                  [batch, input]
//
// The paper's widths are 4/3 and 3 times that of x. Its linear layers stand without biases, and W_r and W_i
// are full matrices. u is 0 before the first step.
//
// decay starts as in rg_lru.hpp, the gains at 1, and the convolution as one step by itself, c_0 = 1.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {
namespace detail {

struct griffin_start {
    start operator()(parameter_role const& p, sizes const&) const {
        std::string_view const called = p.called.view();
        if (called == "decay")
            return {init::uniform{4.3230, 8.9867}};
        if (called == "p_n" || called == "c_0")
            return {init::ones{}};
        return called.starts_with("c_") ? start{init::zeros{}} : default_start(p);
    }
};

} // namespace detail

struct griffin_mixing {
    static constexpr std::string_view name = "Griffin, recurrent block";
    static constexpr std::string_view source = "De et al., arXiv 2402.19427";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto n = gate<"n">;
        constexpr auto g = gate<"g">;
        constexpr auto u = gate<"u">;
        constexpr auto c = gate<"c">;
        constexpr auto r = gate<"r">;
        constexpr auto i = gate<"i">;
        constexpr auto l = gate<"l">;
        // clang-format off
        return lines(
            n       = rms_norm(x, p<"n">),
            g       = gelu(n * W<"g", units>),
            u       = n * W<"u", units>,
            c       = convolution<4>(u) + b<"c">,
            r       = sigmoid(c * W<"r"> + b<"r">),
            i       = sigmoid(c * W<"i"> + b<"i">),
            l       = 8_n * r * log_sigmoid(vector<"decay">),
            next(h) = exp(l) * h + sqrt(-expm1(2_n * l)) * (i * c),
            output  = (g * next(h)) * W<"o", size<"input">>);
        // clang-format on
    }();

    using initial_values = detail::griffin_start;
};

struct griffin_mlp {
    static constexpr std::string_view name = "Griffin, gated MLP";
    static constexpr std::string_view source = "De et al., arXiv 2402.19427";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto n = gate<"n">;
        // clang-format off
        return lines(
            n       = rms_norm(x, p<"n">),
            output  = (gelu(n * W<"g", units>) * (n * W<"u", units>)) * W<"o", size<"input">>);
        // clang-format on
    }();

    using initial_values = detail::griffin_start;
};

} // namespace sluice
