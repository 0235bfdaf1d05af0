// SPDX-License-Identifier: BSL-1.0
#include "cells.hpp"

#include "failure.hpp"

#include <algorithm>

namespace char_lm {

namespace {

const built_cell* find(std::string_view name) {
    const auto all = built_cells();
    const auto found = std::ranges::find(all, name, [](const built_cell* cell) { return cell->name; });
    return found == all.end() ? nullptr : *found;
}

} // namespace

bool is_built(std::string_view name) {
    return find(name) != nullptr;
}

const built_cell& cell_called(const std::string& name) {
    const built_cell* const cell = find(name);
    require(cell != nullptr, "This char_lm was built without the cell " + name + "; `examples/run --cell " +
                                 name + "` builds it in, as `cmake -DCHAR_LM_CELLS=" + name + "` does.");
    return *cell;
}

const built_cell& cell_of(const options& o) {
    const built_cell& cell = cell_called(o.cell);
    return o.projection > 0 && cell.usual.projection == 0 ? cell_called("projected_" + o.cell) : cell;
}

std::string catalogue_in_words(std::size_t width) {
    std::string text, line = " ";
    for (const std::string& name : catalogue_names()) {
        const std::string word = ' ' + name + (is_built(name) ? "*" : "");
        if (line.size() + word.size() > width) {
            text += line + '\n';
            line.assign(1, ' '); // g++ 12 warns of line = " "
        }
        line += word;
    }
    return text + line + '\n';
}

} // namespace char_lm
