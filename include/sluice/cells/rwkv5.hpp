// SPDX-License-Identifier: BSL-1.0
// The time mixing of RWKV-5 and RWKV-6, Eagle and Finch (Peng et al., arXiv 2404.05892): a memory S of outer
// products, a matrix for each head, whose rows decay. A value is read in its own step with a weight u of
// its own, and stored after that.
//
//   r  = x_r W_r                           receptance, the query          [batch, units]
//   k  = x_k W_k                           key
//   v  = x_v W_v                           value
//   y  = r (S + (u . k) v^T)               output, of the memory before the step
//   S' = diag(w) S + k v^T                 memory of each head            [batch, heads, keys, values]
//
//   x_r = x + (x_t-1 - x) . mu_r           `rwkv5`: x mixed with the input before; x_k, x_v likewise
//   w   = exp(-exp(decay))                 a number of each feature of the key
//
//   x_m = x + (x_t-1 - x) . mu_x           `rwkv6`: how much is mixed depends on the input
//   x_r = x + (x_t-1 - x) . (mu_r + tanh(x_m A_r) B_r)      x_k, x_v, x_w likewise
//   w   = exp(-exp(decay + tanh(x_w A_d) B_d))
//
// x_t-1 is 0 before the first step; x may be of any width. `groups` is the number of heads, each of units /
// groups features of r, k and v. A and B are of low rank, the size "rank", 32 unless it is given; the
// paper has 64 in the decay. The normalisation of each head, the gate of the output and the product after it
// belong to the paper's block.
//
// mu starts at 1/2, u uniform from 0 to 1, and decay uniform from -6 to -1, the ends of the authors' curve.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {
namespace detail {

struct rwkv_start {
    start operator()(parameter_role const& p, sizes const&) const {
        if (p.called.view().starts_with("mu_"))
            return {init::constant{0.5}};
        if (p.called.view() == "u")
            return {init::uniform{0, 1}};
        if (p.called.view() == "decay")
            return {init::uniform{-6, -1}};
        return default_start(p);
    }
};

} // namespace detail

struct rwkv5 {
    static constexpr std::string_view name = "RWKV-5";
    static constexpr std::string_view source = "Peng et al., arXiv 2404.05892";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto r = gate<"r">;
        constexpr auto k = gate<"k">;
        constexpr auto v = gate<"v">;
        constexpr auto S = state<"S", units, units, groups>;
        constexpr auto w = exp(-exp(vector<"decay">));

        constexpr auto mixed = [](auto mu) { return x + (delay<1>(x) - x) * mu; };
        // clang-format off
        return lines(
            r       = mixed(vector<"mu_r">) * W<"r">,
            k       = mixed(vector<"mu_k">) * W<"k">,
            v       = mixed(vector<"mu_v">) * W<"v">,
            output  = r * (S + outer<groups>(vector<"u"> * k, v)),
            next(S) = column<groups>(w) * S + outer<groups>(k, v));
        // clang-format on
    }();

    using initial_values = detail::rwkv_start;
};

struct rwkv6 {
    static constexpr std::string_view name = "RWKV-6";
    static constexpr std::string_view source = "Peng et al., arXiv 2404.05892";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto rank = size<"rank">;
        constexpr auto m = gate<"x_m">;
        constexpr auto r = gate<"r">;
        constexpr auto k = gate<"k">;
        constexpr auto v = gate<"v">;
        constexpr auto d = gate<"x_w">;
        constexpr auto w = gate<"w">;
        constexpr auto S = state<"S", units, units, groups>;

        constexpr auto mixed = [](auto mu) { return x + (delay<1>(x) - x) * mu; };
        // clang-format off
        return lines(
            m       = mixed(vector<"mu_x">),
            r       = mixed(vector<"mu_r"> + tanh(m * matrix<"A_r", rank>) * matrix<"B_r">) * W<"r">,
            k       = mixed(vector<"mu_k"> + tanh(m * matrix<"A_k", rank>) * matrix<"B_k">) * W<"k">,
            v       = mixed(vector<"mu_v"> + tanh(m * matrix<"A_v", rank>) * matrix<"B_v">) * W<"v">,
            d       = mixed(vector<"mu_w"> + tanh(m * matrix<"A_w", rank>) * matrix<"B_w">),
            w       = exp(-exp(vector<"decay"> + tanh(d * matrix<"A_d", rank>) * matrix<"B_d">)),
            output  = r * (S + outer<groups>(vector<"u"> * k, v)),
            next(S) = column<groups>(w) * S + outer<groups>(k, v));
        // clang-format on
    }();

    using initial_values = detail::rwkv_start;

    /// Four heads where they divide the units.
    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {.input = input, .units = units, .groups = units % 4 == 0 ? 4u : 1u, .own = {{"rank", 32}}};
    }
};

} // namespace sluice
