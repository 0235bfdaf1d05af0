// SPDX-License-Identifier: BSL-1.0
#pragma once

// The cells that this program can read with weights in fewer bits: cells.cmake makes one source of each, and
// the list.

#include "network.hpp"
#include "options.hpp"

#include <sluice/distributed/transport.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace char_lm {

struct narrow_cell {
    std::string_view name;
    // Of --weights other than float.
    std::unique_ptr<reader> (*make)(const options& o, std::size_t symbols, sluice::transport& all);
};

std::span<const narrow_cell* const> narrow_cells();

// The one of the options' cell; bad_call when this program was built without it.
const narrow_cell& narrow_cell_of(const options& o);

} // namespace char_lm
