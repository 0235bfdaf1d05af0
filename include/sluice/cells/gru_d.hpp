// SPDX-License-Identifier: BSL-1.0
// GRU-D (Che et al., arXiv 1606.01865): a GRU for series with missing values. What was not seen decays from
// its last value to the empirical mean, and the state decays to 0, both by the time since the value was last
// seen.
//
//   x                                              values, of any finite number where they are missing
//   m                                              1 where a value is there, else 0           [batch, input]
//   delta                                          time since each value was there            [batch, input]
//
//   d  = exp(-max(0, p_d . delta + b_d))           decay of the values   [batch, input]
//   e  = exp(-max(0, delta W_e + b_e))             decay of the state    [batch, units]
//   v  = m . x + (1 - m) . (d . last + (1 - d) . mean)                   [batch, input]
//   k  = e . h                                     decayed state         [batch, units]
//   z  = sigmoid(v W_z + k R_z + m V_z + b_z)      update gate
//   r  = sigmoid(v W_r + k R_r + m V_r + b_r)      reset gate
//   n  = tanh(v W_n + (r . k) R_n + m V_n + b_n)   candidate
//   h' = (1 - z) . k + z . n                       state, and output
//   last' = m . x + (1 - m) . last                 last value seen       [batch, input]
//
// The mean of each feature over the training data is a fixed parameter: 0, as of standardised data, unless it
// is assigned. Matrices and p_d start glorot uniform, biases at 0.
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct gru_d {
    static constexpr std::string_view name = "GRU-D";
    static constexpr std::string_view source = "Che et al., arXiv 1606.01865";

    static constexpr auto equations = [] {
        using namespace equation;
        constexpr auto m = input<"m", symbol::input>;
        constexpr auto delta = input<"delta", symbol::input>;
        constexpr auto last = state<"last", symbol::input>;
        constexpr auto mean = fixed(vector<"mean">);
        constexpr auto d = gate<"d">;
        constexpr auto e = gate<"e">;
        constexpr auto v = gate<"v">;
        constexpr auto k = gate<"k">;
        constexpr auto z = gate<"z">;
        constexpr auto r = gate<"r">;
        constexpr auto n = gate<"n">;
        // clang-format off
        return lines(
            d          = exp(-max(0_n, p<"d"> * delta + b<"d">)),
            e          = exp(-max(0_n, delta * W<"e"> + b<"e">)),
            v          = m * x + (1 - m) * (d * last + (1 - d) * mean),
            k          = e * h,
            z          = sigmoid(v * W<"z"> + k * R<"z"> + m * matrix<"V_z"> + b<"z">),
            r          = sigmoid(v * W<"r"> + k * R<"r"> + m * matrix<"V_r"> + b<"r">),
            n          = tanh(v * W<"n"> + (r * k) * R<"n"> + m * matrix<"V_n"> + b<"n">),
            next(h)    = (1 - z) * k + z * n,
            next(last) = m * x + (1 - m) * last);
        // clang-format on
    }();

    struct initial_values {
        start operator()(parameter_role const& p, sizes const&) const {
            return p.called.view() == "mean" ? start{init::zeros{}} : default_start(p);
        }
    };
};

} // namespace sluice
