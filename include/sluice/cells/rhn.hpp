// SPDX-License-Identifier: BSL-1.0
// Recurrent highway network (Zilly et al., arXiv 1607.03474): the state goes through several transitions,
// l = 1 ... depth, within one step. Each mixes what it makes with what came in; the input takes part in the
// first one only.
//
//   n_l = tanh([x W_n1] + s_l-1 R_nl + b_nl)             candidate, [x W_n1] where l = 1     [batch, units]
//   t_l = sigmoid([x W_t1] + s_l-1 R_tl + b_tl)          transform gate
//   s_l = n_l . t_l + s_l-1 . (1 - t_l)                  s_0 = h
//   h'  = s_depth                                        state, and output
//
// The carry gate is coupled, 1 - t, as in all experiments of the paper, where it is also a gate of its own.
// The paper starts the biases of transform gates below 0, so that a new network carries most of its state;
// here they start at -2, other biases at 0, matrices glorot uniform. `rhn_of_depth<10>` is the paper's
// deepest.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

template <int Depth>
struct rhn_of_depth {
    static_assert(Depth > 0, "sluice: rhn_of_depth has one transition or more");

    static constexpr std::string_view name = "Recurrent highway network";
    static constexpr std::string_view source = "Zilly et al., arXiv 1607.03474";

    /// What the transition L makes.
    template <int L>
    static constexpr auto s = [] {
        using namespace equation;
        if constexpr (L == 0)
            return h;
        else if constexpr (L == Depth)
            return next(h);
        else
            return gate<numbered<"s", L>>;
    }();

    template <int L>
    static constexpr auto transition = [] {
        using namespace equation;
        constexpr auto n = gate<numbered<"n", L>>;
        constexpr auto t = gate<numbered<"t", L>>;
        constexpr auto with_input = [](auto weights, auto of_state) {
            if constexpr (L == 1)
                return x * weights + of_state;
            else
                return of_state;
        };
        // clang-format off
        return lines(
            n    = tanh(with_input(W<"n1">, s<L - 1> * R<numbered<"n", L>> + b<numbered<"n", L>>)),
            t    = sigmoid(with_input(W<"t1">, s<L - 1> * R<numbered<"t", L>> + b<numbered<"t", L>>)),
            s<L> = n * t + s<L - 1> * (1 - t));
        // clang-format on
    }();

    static constexpr auto equations = []<int... I>(std::integer_sequence<int, I...>) {
        return lines(transition<I + 1>...);
    }
    (std::make_integer_sequence<int, Depth>{});

    struct initial_values {
        double transform_bias = -2;

        start operator()(parameter_role const& p, sizes const&) const {
            return p.called.view().starts_with("b_t") ? start{init::constant{transform_bias}}
                                                      : default_start(p);
        }
    };
};

struct rhn : rhn_of_depth<3> {};

} // namespace sluice
