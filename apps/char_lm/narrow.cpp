// SPDX-License-Identifier: BSL-1.0
#include "narrow.hpp"

#include "cells.hpp"
#include "failure.hpp"

#include <algorithm>
#include <string>

namespace char_lm {

const narrow_cell& narrow_cell_of(const options& o) {
    const std::string_view name = cell_of(o).name;
    const auto all = narrow_cells();
    const auto found = std::ranges::find(all, name, [](const narrow_cell* cell) { return cell->name; });
    require(found != all.end(), "This char_lm was built without narrow weights for the cell " + o.cell +
                                    "; `examples/run --cell " + o.cell + " --weights " + o.weights +
                                    "` builds them in, as `cmake -DCHAR_LM_NARROW=" + o.cell + "` does.");
    return **found;
}

} // namespace char_lm
