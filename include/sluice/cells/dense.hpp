// SPDX-License-Identifier: BSL-1.0
// A dense layer: a cell without a state.
//
//   y = x W_y + b_y        [batch, input] -> [batch, units]
#pragma once

#include <sluice/expr/page.hpp>

namespace sluice {

struct dense {
    static constexpr std::string_view name = "dense";

    static constexpr auto equations = [] {
        using namespace equation;
        return lines(output = x * W<"y"> + b<"y">);
    }();
};

} // namespace sluice
