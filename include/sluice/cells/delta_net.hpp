// SPDX-License-Identifier: BSL-1.0
// Delta rules: a memory S, a matrix for each head, that is corrected. What it gives for the key k of a step
// is moved towards the value v, by the part b of the difference: a value is replaced, where linear attention
// adds to it.
//
//   q  = l2(silu(x W_q))                   query                          [batch, units]
//   k  = l2(silu(x W_k))                   key, of length 1 in each head
//   v  = silu(x W_v)                       value
//   b  = sigmoid(x W_b)                    how much is replaced           [batch, heads]
//   T  = S                                 `delta_net`                    [batch, heads, keys, values]
//   T  = a S                               `gated_delta_net`
//   a  = exp(-exp(A) . softplus(x W_a + dt))   one number of each head
//   T  = diag(a) S                         `kimi_delta_net`, such an a of each feature of the key
//   S' = T + b k (v - k T)^T               memory
//   y  = q S'                              output                         [batch, units]
//
// delta_net is Yang et al., arXiv 2406.06484; gated_delta_net, which forgets before it corrects, is Yang
// et al., arXiv 2412.06464; kimi_delta_net (Kimi Delta Attention, KDA) is arXiv 2510.26692. The memory is
// read after the step. l2(z) = z / sqrt(sum of z^2 + 1e-6) within each head. The features of q, k, v and
// of the output are the units, and `groups` is the number of heads, each of units / groups features. The
// factor keys^(-1/2) of the authors' code is not there: what follows the output can take it in. W_a of
// kimi_delta_net is of full rank. Convolutions, the normalisation and the gate of the output belong to the
// papers' blocks.
//
// A starts uniform from 0 to log 16, and dt at the inverse softplus of 0.03, in the middle of the range of
// the authors' code.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {
namespace detail {

struct delta_words {
    static constexpr auto q = equation::gate<"q">;
    static constexpr auto k = equation::gate<"k">;
    static constexpr auto v = equation::gate<"v">;
    static constexpr auto b = equation::gate<"b">;
    static constexpr auto T = equation::gate<"T">;
    static constexpr auto S = equation::state<"S", equation::units, equation::units, equation::groups>;

    struct initial_values {
        start operator()(parameter_role const& p, sizes const&) const {
            if (p.called.view() == "A")
                return {init::uniform{0, 2.772588722239781}};
            if (p.called.view() == "dt")
                return {init::constant{-3.4914665211}};
            return default_start(p);
        }
    };
};

} // namespace detail

struct delta_net {
    static constexpr std::string_view name = "DeltaNet";
    static constexpr std::string_view source = "Yang et al., arXiv 2406.06484";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr sluice::detail::delta_words w;
        // clang-format off
        return lines(
            w.q       = l2_norm<groups>(silu(x * W<"q">)),
            w.k       = l2_norm<groups>(silu(x * W<"k">)),
            w.v       = silu(x * W<"v">),
            w.b       = sigmoid(x * W<"b", groups>),
            next(w.S) = w.S + outer<groups>(w.k, per_group<groups>(w.b) * (w.v - w.k * w.S)),
            output    = w.q * next(w.S));
        // clang-format on
    }();
};

struct gated_delta_net {
    static constexpr std::string_view name = "Gated DeltaNet";
    static constexpr std::string_view source = "Yang et al., arXiv 2412.06464";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr sluice::detail::delta_words w;
        constexpr auto a = exp(-(exp(vector<"A">) * softplus(x * W<"a", groups> + bias<"dt">)));
        // clang-format off
        return lines(
            w.q       = l2_norm<groups>(silu(x * W<"q">)),
            w.k       = l2_norm<groups>(silu(x * W<"k">)),
            w.v       = silu(x * W<"v">),
            w.b       = sigmoid(x * W<"b", groups>),
            w.T       = column<groups>(per_group<groups>(a)) * w.S,
            next(w.S) = w.T + outer<groups>(w.k, per_group<groups>(w.b) * (w.v - w.k * w.T)),
            output    = w.q * next(w.S));
        // clang-format on
    }();

    using initial_values = detail::delta_words::initial_values;
};

struct kimi_delta_net {
    static constexpr std::string_view name = "Kimi Delta Attention";
    static constexpr std::string_view source = "Kimi Team, arXiv 2510.26692";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr sluice::detail::delta_words w;
        constexpr auto a = exp(-(per_group<groups>(exp(vector<"A">)) * softplus(x * W<"a"> + bias<"dt">)));
        // clang-format off
        return lines(
            w.q       = l2_norm<groups>(silu(x * W<"q">)),
            w.k       = l2_norm<groups>(silu(x * W<"k">)),
            w.v       = silu(x * W<"v">),
            w.b       = sigmoid(x * W<"b", groups>),
            w.T       = column<groups>(a) * w.S,
            next(w.S) = w.T + outer<groups>(w.k, per_group<groups>(w.b) * (w.v - w.k * w.T)),
            output    = w.q * next(w.S));
        // clang-format on
    }();

    using initial_values = detail::delta_words::initial_values;
};

} // namespace sluice
