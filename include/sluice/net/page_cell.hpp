// SPDX-License-Identifier: BSL-1.0
// A page as nets of the host take it, and a cell of a net (net/layer.hpp) that is made of it.
//
//   gru of 3 inputs and 5 units     widths {3}, states {h: [rows, batch, 5]}, output 5
#pragma once

#include <cstddef>
#include <memory>
#include <sluice/graph/entries.hpp>
#include <sluice/graph/sizes.hpp>
#include <sluice/net/masks.hpp>
#include <sluice/net/net.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// A page without its type.
template <class S, class Kernels>
struct net_page {
    shaped_view const* checked;
    basic_entries<view> const* entries;
    std::span<mask const> masks; ///< those of its inputs that are masks
    /// Its engine, between addresses of the host.
    std::shared_ptr<engine<S, Kernels>> (*make)(cell_numbers<S> const&);
};

namespace detail {

/// A cell without parameters, settings and engine. `page` is the page's place in the list of all.
template <class Memory>
net_cell<Memory> net_cell_of(basic_entries<view> const& entries, sizes const& n, std::size_t page) {
    net_cell<Memory> made{.page = page, .extents = n, .has_inputs = !entries.inputs.empty()};
    for (state_entry const& state : entries.states)
        made.starts.push_back(state.starts_at);
    for (input_entry const& input : entries.inputs)
        made.widths.push_back(extent(input.columns, n));
    if (!made.has_inputs)
        made.widths.push_back(n.input);
    return made;
}

/// Adds states of so many rows to those of a net. What they are called begins with `before`.
inline void add_states(view<state_entry> states, sizes const& n, std::size_t rows, std::string_view before,
                       std::vector<net_state_place>& places) {
    for (state_entry const& state : states)
        places.push_back(
            {std::string(before) + std::string(state.called.view()), rows, extent(state.columns, n)});
}

} // namespace detail
} // namespace sluice
