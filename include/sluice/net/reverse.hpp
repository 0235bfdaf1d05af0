// SPDX-License-Identifier: BSL-1.0
// Sequences that are read from their end:
//
//   y[t, b] = x[L_b - 1 - t, b]  for t < L_b, else x[t, b]       each row backwards within its length
#pragma once

#include <algorithm>
#include <cstddef>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/execute/rows.hpp>
#include <span>
#include <type_traits>

namespace sluice::detail {

/// Of [time, batch, width]; rows lie from_row and to_row numbers apart. Without lengths all rows are full. To
/// do it twice changes nothing.
template <class S>
void reverse_in_time(std::size_t steps, std::size_t batch, std::size_t width, S const* from,
                     std::size_t from_row, S* to, std::size_t to_row, std::span<std::size_t const> lengths) {
    for (std::size_t t = 0; t < steps; ++t)
        for (std::size_t b = 0; b < batch; ++b) {
            std::size_t const end = lengths.empty() ? steps : lengths[b];
            std::size_t const of = t < end ? end - 1 - t : t;
            std::copy_n(from + (of * batch + b) * from_row, width, to + (t * batch + b) * to_row);
        }
}

/// The resets of the same sequences in reverse order: a row that starts again before step t does so, on its
/// way back, before step t - 1.
template <class Mask = reset_mask>
Mask reversed(std::type_identity_t<Mask> const& resets, std::span<std::size_t const> lengths,
              std::size_t steps, std::size_t batch) {
    if (resets.is_none())
        return resets;
    auto const given = resets.values();
    auto back = xt::xtensor<typename Mask::value_type, 2>::from_shape({steps, batch});
    back.fill(false);
    for (std::size_t b = 0; b < batch; ++b) {
        std::size_t const end = lengths.empty() ? steps : lengths[b];
        for (std::size_t t = 1; t < end; ++t)
            back(end - t, b) = given[t * batch + b];
    }
    return back;
}

} // namespace sluice::detail
