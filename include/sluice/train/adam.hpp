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

struct adam_options {
    double learning_rate = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;

    static constexpr std::array<std::string_view, 2> slots{"m", "v"};

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

    template <class S>
    void operator()(std::int64_t step, std::span<S> w, std::span<S const> g,
                    std::array<arithmetic_of<S>*, 2> slot) const {
        using number = arithmetic_of<S>;
        auto const [m, v] = slot;
        auto const t = static_cast<double>(step);
        auto const rate = static_cast<number>(learning_rate / (1 - std::pow(beta1, t)));
        auto const correction = static_cast<number>(1 / (1 - std::pow(beta2, t)));
        auto const b1 = static_cast<number>(beta1);
        auto const b2 = static_cast<number>(beta2);
        auto const c1 = static_cast<number>(1 - beta1);
        auto const c2 = static_cast<number>(1 - beta2);
        auto const eps = static_cast<number>(epsilon);
        for (std::size_t i = 0; i < w.size(); ++i) {
            number const slope = widened(g[i]);
            m[i] = b1 * m[i] + c1 * slope;
            v[i] = b2 * v[i] + c2 * slope * slope;
            w[i] =
                detail::rounded_weight<S>(widened(w[i]) - rate * m[i] / (std::sqrt(v[i] * correction) + eps));
        }
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
