// SPDX-License-Identifier: BSL-1.0
//
// Adam (Kingma, Ba, arXiv 1412.6980, algorithm 1), at step t = 1, 2, ...:
//
//   m = b1 m + (1 - b1) g
//   v = b2 v + (1 - b2) g^2
//   w = w - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
#pragma once

#include <sluice/train/optimizer.hpp>

namespace sluice {

struct adam_options {
    double learning_rate = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;

    static constexpr std::array<std::string_view, 2> slots{"m", "v"};

    void check() const {
        if (!(learning_rate >= 0) || !std::isfinite(learning_rate))
            throw std::invalid_argument(
                "sluice: adam expects a finite learning rate of at least 0, but it is " +
                std::to_string(learning_rate));
        if (!(beta1 >= 0 && beta1 < 1) || !(beta2 >= 0 && beta2 < 1))
            throw std::invalid_argument(
                "sluice: adam expects beta1 and beta2 from 0 to below 1, but they are " +
                std::to_string(beta1) + " and " + std::to_string(beta2));
        if (!(epsilon > 0) || !std::isfinite(epsilon))
            throw std::invalid_argument("sluice: adam expects a finite epsilon above 0, but it is " +
                                        std::to_string(epsilon));
    }

    template <class S>
    void operator()(std::int64_t step, std::span<S> w, std::span<S const> g, std::array<S*, 2> slot) const {
        auto const [m, v] = slot;
        auto const t = static_cast<double>(step);
        auto const rate = static_cast<S>(learning_rate / (1 - std::pow(beta1, t)));
        auto const correction = static_cast<S>(1 / (1 - std::pow(beta2, t)));
        auto const b1 = static_cast<S>(beta1);
        auto const b2 = static_cast<S>(beta2);
        auto const c1 = static_cast<S>(1 - beta1);
        auto const c2 = static_cast<S>(1 - beta2);
        auto const eps = static_cast<S>(epsilon);
        for (std::size_t i = 0; i < w.size(); ++i) {
            m[i] = b1 * m[i] + c1 * g[i];
            v[i] = b2 * v[i] + c2 * g[i] * g[i];
            w[i] -= rate * m[i] / (std::sqrt(v[i] * correction) + eps);
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
