// SPDX-License-Identifier: BSL-1.0
// Equations of two products, each with a bias, and a setting.
#pragma once

#include <sluice/expr/equations.hpp>

namespace conventions_test {

struct page_of_two {
    static constexpr auto equations = [] {
        using namespace sluice::equation;
        return sluice::lines(next(h) =
                                 tanh(x * W<"h"> + b<"W"> + h * R<"h"> + b<"R"> + setting<"shift">(2_n)));
    }();
};

} // namespace conventions_test
