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

/// Whether any line says where a state starts.
template <class Page>
constexpr bool has_initial_states() {
    for (state_entry const& s : passes<Page>::states)
        if (s.starts_at >= 0)
            return true;
    return false;
}

/// Each row of the states that start at a parameter becomes that parameter.
template <class Page, class S>
void start_states(parameter_map<Page, S> const& parameters, state_map<Page, S>& state) {
    for (state_entry const& entry : passes<Page>::states) {
        int const at = entry.starts_at;
        if (at < 0)
            continue;
        auto& tensor = state.tensors()[static_cast<std::size_t>(&entry - passes<Page>::states.begin())];
        auto const values = parameters.array().places()[static_cast<std::size_t>(at)].in(parameters.values());
        for (std::size_t row = 0; row < tensor.size(); row += values.size())
            std::copy(values.begin(), values.end(), tensor.data() + row);
    }
}

/// Adds the gradients of all rows of a state to that of the trained parameter at which it starts.
template <class Page, class S>
void add_to_starts(parameter_map<Page, S>& gradients, state_map<Page, S> const& of_state) {
    for (state_entry const& entry : passes<Page>::states) {
        int const at = entry.starts_at;
        if (at < 0 || !passes<Page>::parameters[at].trained)
            continue;
        auto const& tensor =
            of_state.tensors()[static_cast<std::size_t>(&entry - passes<Page>::states.begin())];
        auto const sums = gradients.array().places()[static_cast<std::size_t>(at)].in(gradients.values());
        for (std::size_t k = 0; k < sums.size(); ++k) {
            double sum = in_double(sums[k]);
            for (std::size_t row = k; row < tensor.size(); row += sums.size())
                sum += in_double(tensor.data()[row]);
            sums[k] = rounded<S>(sum);
        }
    }
}

} // namespace sluice::detail
