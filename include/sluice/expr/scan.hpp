// SPDX-License-Identifier: BSL-1.0
// Scans: a number for each feature, made of it and of all in front of it, or after it.
#pragma once

#include <sluice/expr/operation.hpp>

namespace sluice::operation {

struct reverse_cumulative_sum;

/// y_k = z_0 + ... + z_k
struct cumulative_sum {
    static constexpr std::string_view name = "cumsum";
    static constexpr bool associative = true;
    template <class T>
    static T start() {
        return T(0);
    }
    template <class T>
    static T step(T before, T z) {
        return before + z;
    }
    static constexpr auto gradient(auto, auto, auto dy) { return of<reverse_cumulative_sum>(dy); }
};

/// y_k = z_k + ... + z_last
struct reverse_cumulative_sum : cumulative_sum {
    static constexpr std::string_view name = "reverse_cumsum";
    static constexpr bool reversed = true;
    static constexpr auto gradient(auto, auto, auto dy) { return of<cumulative_sum>(dy); }
};

} // namespace sluice::operation
