// SPDX-License-Identifier: BSL-1.0
// Where the values of a plan lie: panels and packs in memory, and the slots through which blocks reach them.
#pragma once

#include <sluice/lower/backend.hpp>
#include <sluice/lower/pool.hpp>

namespace sluice {

/// The address of element (t, row, group, column) is
/// data + t * time + row * row_stride + group * group_stride + column.
/// A group stride of zero says that the groups follow each other without a gap.
template <class S>
struct slot {
    S* data = nullptr;
    std::size_t time = 0;
    std::size_t row = 0;
    std::size_t group = 0;
};

/// How the members of a panel lie side by side: in every group, one after the other.
struct panel_layout {
    std::size_t groups = 1;
    std::size_t group_columns = 0;      ///< of all members, in one group
    std::vector<std::size_t> offsets{}; ///< of each member within a group
    std::vector<std::size_t> widths{};  ///< of each member within a group

    std::size_t columns() const { return groups * group_columns; }

    /// Columns of the members [first, first + count) in one group.
    std::size_t span(int first, int count) const {
        std::size_t total = 0;
        for (int m = first; m < first + count; ++m)
            total += widths[static_cast<std::size_t>(m)];
        return total;
    }
    std::size_t offset(int member) const { return offsets[static_cast<std::size_t>(member)]; }
};

/// The layout of the values of these nodes.
template <class Graph, class Members>
panel_layout lay_out(Graph const& g, Members const& members, bool grouped, sizes const& n) {
    panel_layout layout{.groups = grouped ? n.groups : 1};
    for (int member : members) {
        std::size_t const columns = extent(g[member].columns, n) / layout.groups;
        layout.offsets.push_back(layout.group_columns);
        layout.widths.push_back(columns);
        layout.group_columns += columns;
    }
    return layout;
}

/// A matrix [steps * batch, columns] with a layout.
template <class S>
struct panel_memory {
    panel_layout layout{};
    scratch<S> values{};
    std::size_t rows = 0; ///< of one time step
    bool kept = false;

    void allocate(std::shared_ptr<memory_pool<S>> const& pool, std::size_t steps, std::size_t batch,
                  bool over_time, bool single_row) {
        rows = single_row ? 1 : batch;
        kept = over_time && !single_row;
        values = scratch<S>(
            pool, detail::require_count("a buffer of gates", {kept ? steps : 1, rows, layout.columns()}));
    }
    /// Member m of the panel.
    slot<S> member(int m) const {
        std::size_t const columns = layout.columns();
        return {values.data() + layout.offset(m), kept ? rows * columns : 0, columns,
                layout.groups == 1 ? 0 : layout.group_columns};
    }
};

} // namespace sluice
