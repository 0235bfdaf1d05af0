// SPDX-License-Identifier: BSL-1.0
// A cell of a net (net/layer.hpp), of what the passes say of its page.
//
//   gru of 3 inputs and 5 units     widths {3}, states {h: [rows, batch, 5]}, output 5
#pragma once

#include <cstddef>
#include <memory>
#include <sluice/graph/parameters.hpp>
#include <sluice/net/net.hpp>
#include <string>
#include <utility>
#include <vector>

namespace sluice::detail {

/// A cell that the engine `runs` runs. `page` is the place of its programs in the list of all.
template <class Memory>
net_cell<Memory> net_cell_of(basic_entries<view> const& entries,
                             cell_numbers<typename Memory::scalar> const& numbers, std::size_t page,
                             std::shared_ptr<typename net<Memory>::engine_type> runs) {
    net_cell<Memory> made{.runs = std::move(runs),
                          .page = page,
                          .extents = numbers.extents,
                          .places = {numbers.places.begin(), numbers.places.end()},
                          .settings = {numbers.settings.begin(), numbers.settings.end()},
                          .has_inputs = !entries.inputs.empty()};
    for (state_entry const& state : entries.states)
        made.starts.push_back(state.starts_at);
    for (input_entry const& input : entries.inputs)
        made.widths.push_back(extent(input.columns, numbers.extents));
    if (!made.has_inputs)
        made.widths.push_back(numbers.extents.input);
    return made;
}

/// Each has so many rows.
inline void add_states(view<state_entry> states, sizes const& n, std::size_t rows,
                       std::vector<net_state_place>& places) {
    for (state_entry const& state : states)
        places.push_back({std::string(state.called.view()), rows, extent(state.columns, n)});
}

/// Makes a net of a cell by itself.
template <class Memory>
void make_net_of_cell(basic_entries<view> const& entries,
                      cell_numbers<typename Memory::scalar> const& numbers,
                      std::shared_ptr<typename net<Memory>::engine_type> runs, net<Memory>& made) {
    made.layers.clear();
    made.places.clear();
    made.parameters.assign(numbers.places.begin(), numbers.places.end());
    made.is_cell = true;
    auto& layer = made.layers.emplace_back();
    layer.ways.push_back(net_cell_of<Memory>(entries, numbers, 0, std::move(runs)));
    layer.input = layer.ways[0].widths[0];
    layer.output = extent(entries.output, numbers.extents);
    add_states(entries.states, numbers.extents, 1, made.places);
    for (std::size_t k = 0; k < made.places.size(); ++k)
        layer.states.push_back(k);
}

} // namespace sluice::detail
