// SPDX-License-Identifier: BSL-1.0
// The time mixing of RWKV-7, Goose (Peng et al., arXiv 2503.14456): a memory S, a matrix for each head, whose
// rows decay, from which a part a of what it has for a key is erased, and to which a value is added.
//
//   x_r = x + (x_t-1 - x) . mu_r           x mixed with the input before; x_w, x_k, x_v, x_a likewise
//   r  = x_r W_r                           receptance, the query          [batch, units]
//   w  = exp(-exp(-1/2) sigmoid(decay + tanh(x_w A_w) B_w))    decay, from 0.545 to 1
//   k  = x_k W_k                           key
//   v  = x_v W_v                           value
//   a  = sigmoid(b_a + x_a A_a B_a)        in-context learning rate
//   c  = l2(k . xi)                        key of what is erased, of length 1 in each head
//   S' = diag(w) S - (a . c) (c S) + (k . (1 + (a - 1) . alpha)) v^T     memory  [batch, heads, keys, values]
//   y  = r S'                              output                         [batch, units]
//
// c S is read before the decay, and the output after the step. The paper's state is the transpose, [values,
// keys], with S (diag(w) - c^T (a . c)). l2(z) = z / sqrt(sum of z^2 + 1e-12) within each head, where the
// paper divides by the length. x_t-1 is 0 before the first step; x may be of any width. `groups` is the
// number of heads, each of units / groups features of r, k and v. A and B are of low rank, the size "rank",
// 32 unless it is given. The value of the first layer that the paper mixes into those of the others, the
// bonus, the normalisation and the gate of the output and the product after it belong to the paper's block.
//
// mu starts at 1/2, decay uniform from -6 to 1, alpha and xi at 1, b_a at 0, matrices glorot uniform.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct rwkv7 {
    static constexpr std::string_view name = "RWKV-7";
    static constexpr std::string_view source = "Peng et al., arXiv 2503.14456";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto rank = size<"rank">;
        constexpr auto r = gate<"r">;
        constexpr auto w = gate<"w">;
        constexpr auto k = gate<"k">;
        constexpr auto v = gate<"v">;
        constexpr auto a = gate<"a">;
        constexpr auto c = gate<"c">;
        constexpr auto S = state<"S", units, units, groups>;
        constexpr auto most = 0.6065306597126334_n; // exp(-1/2)

        constexpr auto mixed = [](auto mu) { return x + (delay<1>(x) - x) * mu; };
        // clang-format off
        return lines(
            r       = mixed(vector<"mu_r">) * W<"r">,
            w       = exp(-(most * sigmoid(vector<"decay"> + tanh(mixed(vector<"mu_w">) * matrix<"A_w", rank>) *
                                                                 matrix<"B_w">))),
            k       = mixed(vector<"mu_k">) * W<"k">,
            v       = mixed(vector<"mu_v">) * W<"v">,
            a       = sigmoid(b<"a"> + (mixed(vector<"mu_a">) * matrix<"A_a", rank>) * matrix<"B_a">),
            c       = l2_norm<groups>(k * vector<"xi">, 1e-12_n),
            next(S) = column<groups>(w) * S - outer<groups>(a * c, c * S) +
                      outer<groups>(k * (1 + (a - 1) * vector<"alpha">), v),
            output  = r * next(S));
        // clang-format on
    }();

    struct initial_values {
        start operator()(parameter_role const& p, sizes const&) const {
            if (p.called.view().starts_with("mu_"))
                return {init::constant{0.5}};
            if (p.called.view() == "decay")
                return {init::uniform{-6, 1}};
            if (p.called.view() == "alpha" || p.called.view() == "xi")
                return {init::ones{}};
            return default_start(p);
        }
    };

    /// Four heads where they divide the units.
    static constexpr sizes sizes_of(std::size_t input, std::size_t units) {
        return {.input = input, .units = units, .groups = units % 4 == 0 ? 4u : 1u, .own = {{"rank", 32}}};
    }
};

} // namespace sluice
