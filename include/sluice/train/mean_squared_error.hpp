// SPDX-License-Identifier: BSL-1.0
//
// Mean squared error of predictions y and targets t, [rows, C] or [time, batch, C]:
//
//   l_r         = 1/C sum_c (y_rc - t_rc)^2
//   loss        = sum_r w_r l_r / sum_r w_r
//   d loss/d y  = 2 (y - t) w_r / (C sum w)
#pragma once

#include <sluice/train/loss.hpp>
#include <string_view>

namespace sluice {

struct mean_squared_error_rule {
    static constexpr std::string_view name = "mean_squared_error";
    static constexpr bool has_labels = false;
    static constexpr bool in_batches = true;

    static auto part(auto const& e) { return e.y - e.t; }
    static auto term(auto const& e) { return e.part * e.part; }
    static auto slope(auto const& e) { return 2 * e.share; }
    static auto gradient(auto const& e) { return e.slope * e.part; }
};

/// Of tensors here or on a device; weights of the rows may follow.
template <class Y, class T, class... W>
auto mean_squared_error(Y const& predictions, T const& targets, W const&... weights) {
    return loss_of(mean_squared_error_rule{}, predictions, targets, weights...);
}

} // namespace sluice
