// SPDX-License-Identifier: BSL-1.0
// Losses of a user, as rules (train/loss_rule.hpp): one with targets and one with labels, both with settings.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <sluice/train/loss.hpp>
#include <stdexcept>
#include <string_view>

namespace support {

/// Huber's loss of d = y - t: d^2 / 2 where |d| <= delta, else delta (|d| - delta / 2).
struct huber_rule {
    double delta = 1;

    static constexpr std::string_view name = "huber";
    static constexpr bool in_batches = true;
    static constexpr bool has_labels = false;
    std::array<double, 1> constants() const {
        if (!(delta > 0))
            throw std::invalid_argument("huber expects a delta above 0");
        return {delta};
    }
    static auto part(auto const& e) { return e.y - e.t; }
    static auto term(auto const& e) {
        using std::fabs, std::min;
        auto const near = min(fabs(e.part), e.constants[0]);
        return near * (fabs(e.part) - near / 2);
    }
    static auto slope(auto const& e) { return e.share; }
    static auto gradient(auto const& e) {
        using std::max, std::min;
        return e.slope * max(-e.constants[0], min(e.part, e.constants[0]));
    }
};

/// Softmax cross-entropy of logits divided by a temperature.
struct warm_entropy_rule {
    double temperature = 1;

    static constexpr std::string_view name = "warm_entropy";
    static constexpr bool has_labels = true;
    std::array<double, 1> constants() const { return {temperature}; }

    static auto part(auto const& e) {
        using std::exp;
        return exp((e.z - e.largest) / e.constants[0]);
    }
    static auto term(auto const& e) { return e.part; }
    static auto loss(auto const& e) {
        using std::log;
        return log(e.sum) - (e.chosen - e.largest) / e.constants[0];
    }
    static auto slope(auto const& e) { return e.share / (e.sum * e.constants[0]); }
    static auto gradient(auto const& e) { return e.part * e.slope; }
    static auto gradient_of_label(auto const& e) { return e.gradient - e.share / e.constants[0]; }
};

} // namespace support
