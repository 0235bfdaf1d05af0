// SPDX-License-Identifier: BSL-1.0
// Where the states of a net start: each row at a parameter p, where a line initial(s) = p of its page says
// so, else at zeros.
//
//   s_(-1)[b] = p            dL/dp = ... + sum over b of dL/ds_(-1)[b]
#pragma once

#include <cstddef>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/net/net.hpp>
#include <span>
#include <vector>

namespace sluice {
namespace detail {

/// f(cell, its parameter, the state, the first of its numbers among all rows) for every state that starts at
/// a parameter.
template <class Memory, class F>
void for_each_start(net<Memory> const& of, std::vector<typename Memory::tensor> const& states, F const& f) {
    for (auto const& layer : of.layers)
        for (std::size_t d = 0; d < layer.ways.size(); ++d)
            for (std::size_t k = 0; k < layer.states.size(); ++k)
                if (int const parameter = layer.ways[d].starts[k]; parameter >= 0) {
                    std::size_t const place = layer.states[k];
                    auto const& shape = states[place].shape();
                    f(layer.ways[d], static_cast<std::size_t>(parameter), place,
                      (layer.first_row + d) * shape[1] * shape[2]);
                }
}

/// Throws `std::invalid_argument` for a batch that no array can have.
template <class Memory>
[[gnu::noinline]] std::vector<typename Memory::tensor> zero_states_of(net<Memory> const& of,
                                                                      std::size_t batch) {
    for (net_state_place const& place : of.places)
        if (place.rows == 1) // as a cell has it
            require_count("a state", {batch, place.width});
        else
            require_count("a state", {place.rows, batch, place.width});
    auto states = of.make_states(batch);
    for (auto& state : states)
        of.memory.clear(1, state.size(), state.data(), state.size());
    return states;
}

} // namespace detail

/// [rows, batch, width] each. `all` are the parameters. Throws `std::invalid_argument` for a batch that no
/// array can have.
template <class Memory>
[[gnu::noinline]] std::vector<typename Memory::tensor>
start_states(net<Memory> const& of, std::span<typename Memory::scalar const> all, std::size_t batch) {
    auto states = detail::zero_states_of(of, batch);
    detail::for_each_start(
        of, states, [&](auto const& cell, std::size_t p, std::size_t state, std::size_t first) {
            auto const from = cell.places[p].in(all);
            of.memory.repeat(batch, from.size(), from.data(), states[state].data() + first);
        });
    return states;
}

/// Adds the gradients of all rows of a state to the gradient of the trained parameter at which the state
/// starts.
template <class Memory>
[[gnu::noinline]] void add_to_starts(net<Memory> const& of,
                                     std::vector<typename Memory::tensor> const& states,
                                     std::span<typename Memory::scalar> gradients) {
    detail::for_each_start(of, states,
                           [&](auto const& cell, std::size_t p, std::size_t state, std::size_t first) {
                               auto const sums = cell.places[p].in(gradients);
                               if (cell.places[p].trained)
                                   of.memory.add_rows(states[state].shape()[1], sums.size(),
                                                      states[state].data() + first, sums.data());
                           });
}

} // namespace sluice
