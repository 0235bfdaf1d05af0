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

    void check() const {
        if (!(learning_rate >= 0) || !std::isfinite(learning_rate))
            throw std::invalid_argument(
                "sluice: sgd expects a finite learning rate of at least 0, but it is " +
                std::to_string(learning_rate));
        if (!(momentum >= 0 && momentum < 1))
            throw std::invalid_argument("sluice: sgd expects a momentum from 0 to below 1, but it is " +
                                        std::to_string(momentum));
    }

    template <class S>
    void operator()(std::int64_t, std::span<S> w, std::span<S const> g, std::array<S*, 1> slot) const {
        auto const [v] = slot;
        auto const mu = static_cast<S>(momentum);
        auto const rate = static_cast<S>(learning_rate);
        for (std::size_t i = 0; i < w.size(); ++i) {
            v[i] = mu * v[i] + g[i];
            w[i] -= rate * v[i];
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
