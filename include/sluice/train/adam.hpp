// SPDX-License-Identifier: BSL-1.0
//
// Adam (Kingma, Ba, arXiv 1412.6980, algorithm 1), at step t = 1, 2, ...:
//
//   m = b1 m + (1 - b1) g
//   v = b2 v + (1 - b2) g^2
//   w = w - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
#pragma once

#include <algorithm>
#include <cmath>
#include <sluice/core/fail.hpp>
#include <sluice/train/optimizer.hpp>

namespace sluice {

/// The rates of Adam, and its rule.
struct adam_options {
    double learning_rate = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;

    static constexpr std::array<std::string_view, 2> slot_names{"m", "v"};
    static constexpr bool in_batches = true;

    template <class S>
    void check() const {
        detail::require_decay<S>("adam", "a beta1", beta1);
        detail::require_decay<S>("adam", "a beta2", beta2);
        detail::require_learning_rate<S>("adam", learning_rate, 1 / (1 - beta1)); // the factor of step 1
        // A gradient whose square is 0 as an S is then at most some tens of epsilons.
        double const smallest = std::sqrt(static_cast<double>(std::numeric_limits<S>::min()));
        double const largest = std::numeric_limits<S>::max();
        if (!(epsilon >= smallest && epsilon <= largest))
            fail<std::invalid_argument>(
                {"adam expects an epsilon from ", smallest, " to ", largest, ", but it is ", epsilon});
    }

    // Each bound leaves a factor of two for rounding: w - lr m / epsilon is a number, and so is v / (1 - b2),
    // which is what the first step takes the root of. As averages m and v stay in their range.
    template <class S>
    step_range<2> range() const {
        double const most = std::numeric_limits<S>::max();
        double const rate = learning_rate / (1 - beta1);
        double const mean = most / 2 / (1 + std::max(rate, rate / epsilon));
        double const square = most * (1 - beta2) / 2;
        return {symmetric(mean),
                symmetric(std::min(mean / 2, std::sqrt(square / 2))),
                {symmetric(mean), interval{0, square}}};
    }

    template <class A>
    std::array<A, 7> constants(std::int64_t step) const {
        auto const t = static_cast<double>(step);
        return {static_cast<A>(learning_rate / (1 - std::pow(beta1, t))),
                static_cast<A>(1 / (1 - std::pow(beta2, t))),
                static_cast<A>(beta1),
                static_cast<A>(beta2),
                static_cast<A>(1 - beta1),
                static_cast<A>(1 - beta2),
                static_cast<A>(epsilon)};
    }

    template <class N>
    static N next(std::array<N, 7> const& constants, N const& w, N const& g, std::array<N, 2>& slot) {
        using std::sqrt;
        auto const& [rate, correction, b1, b2, c1, c2, eps] = constants;
        auto& [m, v] = slot;
        m = b1 * m + c1 * g;
        v = b2 * v + c2 * g * g;
        return w - rate * m / (sqrt(v * correction) + eps);
    }
};

/// adam optimizer(cell, {.learning_rate = 1e-3});
template <class Cell>
class adam : public optimizer<Cell, adam_options> {
public:
    explicit adam(Cell const& cell, adam_options options = {})
        : optimizer<Cell, adam_options>(cell, options) {}
};

} // namespace sluice
