// SPDX-License-Identifier: BSL-1.0
//
// Stochastic gradient descent with momentum (TensorFlow's MomentumOptimizer):
//
//   v = mu v + g
//   w = w - lr v
#pragma once

#include <sluice/train/optimizer.hpp>

namespace sluice {

/// The rates of gradient descent with momentum, and its rule.
struct sgd_options {
    double learning_rate = 0.01;
    double momentum = 0;

    static constexpr std::array<std::string_view, 1> slot_names{"momentum"};
    static constexpr bool in_batches = true;

    template <class S>
    void check() const {
        detail::require_learning_rate<S>("sgd", learning_rate);
        detail::require_decay<S>("sgd", "a momentum", momentum);
    }

    // With gradients of the greatest size v goes to half of its limit, and w + 2 lr v is still a number.
    template <class S>
    step_range<1> range() const {
        double const most = std::numeric_limits<S>::max() / 2 / (1 + 2 * learning_rate);
        return {symmetric(most), symmetric(most * (1 - momentum) / 2), {symmetric(most)}};
    }

    template <class A>
    std::array<A, 2> constants(std::int64_t) const {
        return {static_cast<A>(momentum), static_cast<A>(learning_rate)};
    }

    template <class N>
    static N next(std::array<N, 2> const& constants, N const& w, N const& g, std::array<N, 1>& slot) {
        auto const& [mu, rate] = constants;
        auto& [v] = slot;
        v = mu * v + g;
        return w - rate * v;
    }
};

/// sgd optimizer(cell, {.learning_rate = 0.1, .momentum = 0.9});
template <class Cell>
class sgd : public optimizer<Cell, sgd_options> {
public:
    explicit sgd(Cell const& cell, sgd_options options = {}) : optimizer<Cell, sgd_options>(cell, options) {}
};

} // namespace sluice
