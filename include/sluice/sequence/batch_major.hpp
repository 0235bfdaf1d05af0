// SPDX-License-Identifier: BSL-1.0
// Sequences whose first axis is the batch. Everything here is time-major; this is the other view, both ways:
//
//   auto const run = sluice::unroll(cell, sluice::batch_major(xs), state);      xs is [batch, time, input]
//   auto const ys  = sluice::batch_major(run.outputs);                          [batch, time, output]
#pragma once

#include <cstddef>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <utility>
#include <vector>

namespace sluice {

/// A tensor with its first two axes exchanged: a view of what is kept elsewhere, the values of what is not.
template <class E>
auto batch_major(E&& tensor) {
    static_assert(
        detail::rank_of<std::decay_t<E>> == 3,
        "sluice: batch_major expects a sequence, [time, batch, features] or [batch, time, features]");
    return xt::transpose(std::forward<E>(tensor), std::vector<std::size_t>{1, 0, 2});
}

} // namespace sluice
