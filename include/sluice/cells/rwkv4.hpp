// SPDX-License-Identifier: BSL-1.0
// The time mixing of RWKV-4 (Peng et al., arXiv 2305.13048): an average over all values v so far, each
// weighted by the exponential of its key k, which decays by w with every step. It is kept as a sum A of
// values and a sum B of weights, for each feature by itself; the largest exponent m so far is taken out of
// both so that nothing overflows.
//
//   r  = (mu_r . x + (1 - mu_r) . x_t-1) W_r       receptance            [batch, units]
//   k  = (mu_k . x + (1 - mu_k) . x_t-1) W_k       key
//   v  = (mu_v . x + (1 - mu_v) . x_t-1) W_v       value
//   e  = m where B > 0, else u + k                 exponent of the sums; empty ones have none
//   q  = max(e, u + k)                             exponent of what is put out
//   s  = (exp(e - q) . A + exp(u + k - q) . v) / (exp(e - q) . B + exp(u + k - q))
//   m' = max(e - w, k)                             exponent of what is kept, w = exp(decay)
//   A' = exp(e - w - m') . A + exp(k - m') . v     sum of values
//   B' = exp(e - w - m') . B + exp(k - m')         sum of weights
//   y  = (sigmoid(r) . s) W_o                      output                [batch, units]
//
// u is what a value's own step adds to its key. A / B is the same whatever m is: m starts at 0 as all states
// do, where the authors' code starts it at -1e38, and e takes care of the first step. x_t-1 is the input of
// the step before, 0 before the first; x may be of any width, where the paper's is that of the units. The
// layer normalisation, the residual sum and the channel mixing around the cell belong to the paper's block.
//
// mu starts at 1/2 and u at log 0.3, about which the paper's spread; decay starts uniform in [-5, 3], where
// the paper has a curve between the same ends. Matrices start glorot uniform.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct rwkv4 {
    static constexpr std::string_view name = "RWKV-4";
    static constexpr std::string_view source = "Peng et al., arXiv 2305.13048";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto r = gate<"r">;
        constexpr auto k = gate<"k">;
        constexpr auto v = gate<"v">;
        constexpr auto e = gate<"e">;
        constexpr auto q = gate<"q">;
        constexpr auto s = gate<"s">;
        constexpr auto m = state<"m">;
        constexpr auto A = state<"A">;
        constexpr auto B = state<"B">;
        constexpr auto u = vector<"u">;
        constexpr auto w = exp(vector<"decay">);

        constexpr auto shifted = [](auto mu) { return mu * x + (1 - mu) * delay<1>(x); };
        // clang-format off
        return lines(
            r       = shifted(vector<"mu_r">) * W<"r">,
            k       = shifted(vector<"mu_k">) * W<"k">,
            v       = shifted(vector<"mu_v">) * W<"v">,
            e       = where(B > 0_n, m, u + k),
            q       = max(e, u + k),
            s       = (exp(e - q) * A + exp(u + k - q) * v) / (exp(e - q) * B + exp(u + k - q)),
            next(m) = max(e - w, k),
            next(A) = exp(e - w - next(m)) * A + exp(k - next(m)) * v,
            next(B) = exp(e - w - next(m)) * B + exp(k - next(m)),
            output  = (sigmoid(r) * s) * W<"o", units>);
        // clang-format on
    }();

    struct initial_values {
        start operator()(parameter_role const& p, sizes const&) const {
            if (p.called.view().starts_with("mu_"))
                return {init::constant{0.5}};
            if (p.called.view() == "u")
                return {init::constant{-1.2039728043259361}};
            if (p.called.view() == "decay")
                return {init::uniform{-5, 3}};
            return default_start(p);
        }
    };
};

} // namespace sluice
