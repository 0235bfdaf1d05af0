// SPDX-License-Identifier: BSL-1.0
// A smaller cell with a fault, from one that has a fault.
#pragma once

#include <random/generate.hpp>

namespace random_cells {

/// The cell, reduced step by step as long as `fails(cell)` holds: a node gives way to an operand or a leaf,
/// which lie before it, of the same axes; the sequence and the batch get shorter.
inline random_cell shrink(random_cell cell, auto const& fails) {
    auto const attempt = [&](random_cell const& smaller) {
        if (!fails(smaller))
            return false;
        cell = smaller;
        return true;
    };
    auto const replace = [&](int i, int by) {
        std::vector<int> instead(at(cell.g.size()), -1);
        instead[at(i)] = by;
        random_cell smaller = cell;
        smaller.g = rebuilt(cell.g, instead);
        smaller.given = given_again(view_of(cell.g), cell.given, view_of(smaller.g));
        return attempt(smaller);
    };
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = cell.g.size() - 1; i >= 0; --i)
            for (int by = 0; by < std::min(i, cell.g.size()); ++by)
                if (!sluice::is_leaf(cell.g[i].kind) && cell.g[by].shape == cell.g[i].shape &&
                    replace(i, by)) {
                    changed = true;
                    i = std::min(i, cell.g.size());
                    break;
                }
        random_cell smaller = cell;
        if (smaller.e.steps > 1) {
            --smaller.e.steps;
            for (size_t& length : smaller.e.lengths)
                length = std::min(length, smaller.e.steps);
            for (history& h : smaller.given)
                if (h.size() > smaller.e.steps)
                    h.resize(smaller.e.steps);
            changed = attempt(smaller) || changed;
        }
        smaller = cell;
        smaller.e.lengths.clear();
        if (!cell.e.lengths.empty())
            changed = attempt(smaller) || changed;
    }
    return cell;
}

} // namespace random_cells
