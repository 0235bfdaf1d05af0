// SPDX-License-Identifier: BSL-1.0
// An activation that a user adds: z sigmoid(z) (arXiv 1710.05941).
#pragma once

#include <cmath>
#include <sluice/expr/vocabulary.hpp>
#include <string_view>

namespace support {

struct swish {
    static constexpr std::string_view name = "swish";
    template <class T>
    static T value(T z) {
        using std::exp;
        return z / (T(1) + exp(-z));
    }
    static constexpr auto derivative(auto z, auto y) { return y + sigmoid(z) * (1 - y); }
};

} // namespace support
