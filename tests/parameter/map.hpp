// SPDX-License-Identifier: BSL-1.0
// Maps of the parameters of a page that has every rank, and one that is fixed.
#pragma once

#include <doctest/doctest.h>
#include <numeric>
#include <sluice/parameter/parameters.hpp>

using namespace sluice::literals;

namespace every_rank {

using namespace sluice::equation;
constexpr auto f = gate<"f">;

struct page {
    static constexpr auto equations =
        sluice::lines(f = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">),
                      next(h) = f * tanh(scalar<"gain"> * (x * fixed(matrix<"A">)) + h * grouped(R<"n">)));
};

/// W_f [3, 4], R_f [4, 4], b_f [4], gain [], A [3, 4] (fixed), R_n [2, 2, 2].
inline constexpr sluice::sizes extents{.input = 3, .units = 4, .groups = 2};

} // namespace every_rank

template <class S = double>
using parameters = sluice::parameter_map<every_rank::page, S>;

/// 0, 1, 2 ... in the order of the array.
template <class S>
parameters<S> numbered() {
    auto map = sluice::zero_parameters<every_rank::page, S>(every_rank::extents);
    std::iota(map.values().begin(), map.values().end(), S(0));
    return map;
}
