// SPDX-License-Identifier: BSL-1.0
// LTC, the liquid time-constant network (Hasani et al., arXiv 2006.04439): dh/dt = -(1 / tau + f) . h + f .
// A, where f, which depends on state and input, changes the speed of each unit.
//
//   f(v)    = sigmoid(x W_f + v R_f + b_f)                               [batch, units]
//   step(v) = (v + s f(v) . A) / (1 + s (1 / tau + f(v)))                s = dt / 6
//   h'      = step(step(step(step(step(step(h))))))                      state, and output
//
// This is the paper's fused solver, an Euler step that is implicit where f has the old state, six times in
// each step of the sequence. A and tau are [units]; dt is a setting, 1 by default. The paper's f may be any
// network; the authors' wired circuits of synapses are another. tau starts at 1, A and the matrices glorot
// uniform, the bias at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct ltc {
    static constexpr std::string_view name = "LTC";
    static constexpr std::string_view source = "Hasani et al., arXiv 2006.04439";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto v1 = gate<"v1">;
        constexpr auto v2 = gate<"v2">;
        constexpr auto v3 = gate<"v3">;
        constexpr auto v4 = gate<"v4">;
        constexpr auto v5 = gate<"v5">;
        constexpr auto s = setting<"dt">(1_n) / 6_n;

        constexpr auto f = [](auto v) { return sigmoid(x * W<"f"> + v * R<"f"> + b<"f">); };
        constexpr auto step = [=](auto v) {
            return (v + s * f(v) * vector<"A">) / (1 + s * (1 / vector<"tau"> + f(v)));
        };
        // clang-format off
        return lines(
            v1      = step(h),
            v2      = step(v1),
            v3      = step(v2),
            v4      = step(v3),
            v5      = step(v4),
            next(h) = step(v5));
        // clang-format on
    }();

    struct initial_values {
        start operator()(parameter_role const& p, sizes const&) const {
            return p.called.view() == "tau" ? start{init::ones{}} : default_start(p);
        }
    };
};

} // namespace sluice
