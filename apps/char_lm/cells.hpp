// SPDX-License-Identifier: BSL-1.0
#pragma once

// The cells of sluice's catalogue (sluice/cells/catalogue.hpp), and those of them that this program was built
// with: cells.cmake makes one source of each, and both lists.

#include "network.hpp"
#include "options.hpp"

#include <sluice/core/extents.hpp>
#include <sluice/distributed/transport.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace char_lm {

struct built_cell {
    std::string_view name;
    sluice::sizes usual; // of the page: its own groups and projection, where it has them

    sluice::sizes (*sizes)(const options& o, std::size_t symbols); // of the first layer
    std::size_t (*parameters)(const sluice::sizes& n);             // of one layer
    double (*flops)(const sluice::sizes& n);                       // of one layer, per step and sequence
    std::unique_ptr<network> (*make)(const options& o, std::size_t symbols, sluice::transport& all);
};

std::vector<std::string> catalogue_names();
std::span<const built_cell* const> built_cells(); // and what `--projection` makes of them
bool is_built(std::string_view name);

// The cell of that name; bad_call when this program was built without it.
const built_cell& cell_called(const std::string& name);
// The one that the options ask for: with a --projection `lstm` is `projected_lstm`.
const built_cell& cell_of(const options& o);

// The catalogue in lines of at most so many characters; a star stands after what is built in.
std::string catalogue_in_words(std::size_t width);

} // namespace char_lm
