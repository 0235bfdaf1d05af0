// SPDX-License-Identifier: BSL-1.0
//
// Stochastic gradient descent with momentum (TensorFlow's MomentumOptimizer):
//
//   v = mu v + g
//   w = w - lr v
#pragma once

#include <sluice/train/optimizer.hpp>

namespace sluice {

struct sgd_options {
    double learning_rate = 0.01;
    double momentum = 0;

    static constexpr std::array<std::string_view, 1> slots{"momentum"};

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

    template <class S>
    void operator()(std::int64_t, std::span<S> w, std::span<S const> g,
                    std::array<arithmetic_of<S>*, 1> slot) const {
        auto const [v] = slot;
        auto const mu = static_cast<arithmetic_of<S>>(momentum);
        auto const rate = static_cast<arithmetic_of<S>>(learning_rate);
        for (std::size_t i = 0; i < w.size(); ++i) {
            v[i] = mu * v[i] + widened(g[i]);
            w[i] = detail::rounded_weight<S>(widened(w[i]) - rate * v[i]);
        }
    }
};

/// sgd optimizer(cell, {.learning_rate = 0.1, .momentum = 0.9});
template <class Cell>
class sgd : public optimizer<Cell, sgd_options> {
public:
    explicit sgd(Cell const& cell, sgd_options options = {}) : optimizer<Cell, sgd_options>(cell, options) {}
};

} // namespace sluice
