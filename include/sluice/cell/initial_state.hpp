// SPDX-License-Identifier: BSL-1.0
// Where the states of a cell start: each row at a parameter p, where a line initial(s) = p says so, else at
// zeros.
//
//   s_(-1)[b] = p            dL/dp = ... + sum over b of dL/ds_(-1)[b]
#pragma once

#include <algorithm>
#include <cstddef>
#include <sluice/core/arithmetic.hpp>
#include <sluice/parameter/parameters.hpp>

namespace sluice::detail {

/// Each row of the states that start at a parameter becomes that parameter.
template <class S>
void start_states(basic_entries<view> const& page, arena<S> const& parameters,
                  std::span<xt::xtensor<S, 2>> states) {
    for (state_entry const& entry : page.states) {
        if (entry.starts_at < 0)
            continue;
        auto& tensor = states[static_cast<std::size_t>(&entry - page.states.begin())];
        auto const values =
            parameters.places()[static_cast<std::size_t>(entry.starts_at)].in(parameters.values());
        for (std::size_t row = 0; row < tensor.size(); row += values.size())
            std::copy(values.begin(), values.end(), tensor.data() + row);
    }
}

/// Adds the gradients of all rows of a state to that of the trained parameter at which it starts.
template <class S>
void add_to_starts(basic_entries<view> const& page, std::span<tensor_place const> places,
                   std::span<S> gradients, std::span<xt::xtensor<S, 2> const> of_states) {
    for (state_entry const& entry : page.states) {
        if (entry.starts_at < 0 || !page.parameters[entry.starts_at].trained)
            continue;
        auto const& tensor = of_states[static_cast<std::size_t>(&entry - page.states.begin())];
        auto const sums = places[static_cast<std::size_t>(entry.starts_at)].in(gradients);
        for (std::size_t k = 0; k < sums.size(); ++k) {
            double sum = in_double(sums[k]);
            for (std::size_t row = k; row < tensor.size(); row += sums.size())
                sum += in_double(tensor.data()[row]);
            sums[k] = rounded<S>(sum);
        }
    }
}

} // namespace sluice::detail
