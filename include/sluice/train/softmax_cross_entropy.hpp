// SPDX-License-Identifier: BSL-1.0
//
// Softmax cross-entropy in nats, of logits z [rows, C] or [time, batch, C] and one integer label k per row:
//
//   m           = max_c z_c
//   l_r         = log sum_c exp(z_c - m) - (z_k - m)
//   loss        = sum_r w_r l_r / sum_r w_r
//   d loss/d z  = (exp(z_c - m) / sum exp(z - m) - [c = k]) w_r / sum w
//
// No exponential overflows, whatever the logits; a logit of -inf is a class that cannot be. Logits that are
// NaN or +inf make the loss NaN.
#pragma once

#include <cmath>
#include <sluice/train/loss.hpp>
#include <string_view>

namespace sluice {

struct softmax_cross_entropy_rule {
    static constexpr std::string_view name = "softmax_cross_entropy";
    static constexpr bool in_batches = true;
    static constexpr bool has_labels = true;

    static auto part(auto const& e) {
        using std::exp;
        return exp(e.z - e.largest);
    }
    static auto term(auto const& e) { return e.part; }
    static auto loss(auto const& e) {
        using std::log;
        return log(e.sum) - (e.chosen - e.largest);
    }
    static auto slope(auto const& e) { return e.share / e.sum; }
    static auto gradient(auto const& e) { return e.part * e.slope; }
    static auto gradient_of_label(auto const& e) { return e.gradient - e.share; }
};

/// Of tensors here or on a device; weights of the rows may follow.
template <class Z, class K, class... W>
auto softmax_cross_entropy(Z const& logits, K const& labels, W const&... weights) {
    return loss_of(softmax_cross_entropy_rule{}, logits, labels, weights...);
}

} // namespace sluice
