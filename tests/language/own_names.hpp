// SPDX-License-Identifier: BSL-1.0
// A gate with the name of a word. docs/language.md shows what stands below; language.cpp compiles it.
#pragma once

#include <sluice/expr/equations.hpp>

namespace centred_cells {

using namespace sluice::equation;

constexpr auto mean = gate<"mean">;

// clang-format off
struct centred {
    static constexpr auto equations = sluice::lines(
        mean    = sluice::equation::mean(h),
        next(h) = tanh(x * W<"h"> + (h - mean) * R<"h">));
};
// clang-format on

} // namespace centred_cells
