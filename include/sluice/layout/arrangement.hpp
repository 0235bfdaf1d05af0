// SPDX-License-Identifier: BSL-1.0
// Where the blocks of a tensor lie, for a cell of given sizes; and the sizes, from the shapes of the tensors.
//
// PyTorch's weight_ih of a GRU, transposed W_r W_u W_n, is [3 units, input]. At the sizes 5 and 7 that is
// [21, 5], and column c of row r of W_u is number (7 + c) * 5 + r of the tensor. The other way round, [21, 5]
// says that 3 units = 21 and input = 5.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <sluice/core/fail.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/layout/convention.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice::layout {

/// How many layers and directions lie in one file.
struct stack_extents {
    std::size_t layers = 1, directions = 1;
};

/// Part of a tensor: number (row, column) of a block is at `first + row * row_stride + column *
/// column_stride`.
struct block_place {
    std::size_t first, rows, columns, row_stride, column_stride;
};

namespace detail {

/// Rows and columns of a tensor, in numbers and in blocks.
struct arrangement {
    std::size_t rows = 0, columns = 0;
    std::size_t blocks_in_row = 0;
    bool has_matrix = false;
};

inline arrangement arrange(description const& d, block_table const& table, sizes const& n) {
    arrangement made;
    for (block const& b : table.all()) {
        parameter_entry const* const of = d.measure_of(table, b);
        auto const e = of->extents(n);
        made.has_matrix |= of->rank > 1;
        if (b.column == 0)
            made.rows += e[1];
        if (b.row == 0) {
            made.columns += e[2];
            ++made.blocks_in_row;
        }
    }
    return made;
}

/// The shape of a tensor, with its leading axes.
inline std::vector<std::size_t> shape_of(description const& d, block_table const& table, sizes const& n,
                                         stack_extents const& all) {
    arrangement const a = arrange(d, table, n);
    std::vector<std::size_t> shape;
    std::vector<std::size_t> columns{a.columns};
    if (table.is_apart)
        columns = {a.blocks_in_row, a.columns / a.blocks_in_row};
    if (a.has_matrix || table.rows > 1)
        shape.push_back(a.rows);
    shape.insert(table.is_transposed ? shape.begin() : shape.end(), columns.begin(), columns.end());
    if (table.by_direction)
        shape.insert(shape.begin(), all.directions);
    if (table.by_layer)
        shape.insert(shape.begin(), all.layers);
    return shape;
}

/// Where a block lies in the tensor of a layer and direction.
inline block_place place_of(description const& d, block_table const& table, block const& wanted,
                            sizes const& n, stack_extents const& all, std::size_t layer,
                            std::size_t direction) {
    arrangement const a = arrange(d, table, n);
    std::size_t above = 0, left = 0;
    for (block const& b : table.all()) {
        auto const e = d.measure_of(table, b)->extents(n);
        if (b.column == 0 && b.row < wanted.row)
            above += e[1];
        if (b.row == wanted.row && b.column < wanted.column)
            left += e[2];
    }
    auto const e = d.measure_of(table, wanted)->extents(n);
    std::size_t before = 0; // tensors of other layers and directions
    if (table.by_layer)
        before = layer;
    if (table.by_direction)
        before = before * all.directions + direction;
    std::size_t const row_stride = table.is_transposed ? 1 : a.columns;
    std::size_t const column_stride = table.is_transposed ? a.rows : 1;
    return {before * a.rows * a.columns + above * row_stride + left * column_stride, e[1], e[2], row_stride,
            column_stride};
}

/// The sizes that give tensors these shapes. Each axis is a sum of multiples of the sizes over the number of
/// groups, so that one with one unknown gives it; the others are checked.
class size_finder {
public:
    size_finder(description const& d, std::size_t groups) : d_(d) { found_.groups = groups; }

    /// A tensor of the file; its leading axes count layers and directions.
    void add(block_table const& table, std::vector<std::size_t> shape) {
        shape.erase(shape.begin(), shape.begin() + table.leading_axes());
        known_.push_back({&table, std::move(shape)});
    }
    /// Nothing, where shapes contradict each other or leave a size open.
    std::optional<sizes> find() {
        for (bool goes_on = true; goes_on;) {
            goes_on = false;
            for (auto const& [table, shape] : known_)
                goes_on |= learn(*table, shape);
        }
        if (found_.input == 0 || found_.units == 0)
            return std::nullopt;
        for (auto const& [table, shape] : known_)
            if (shape_without_leading(*table, found_) != shape)
                return std::nullopt;
        return found_;
    }

private:
    struct known {
        block_table const* table;
        std::vector<std::size_t> shape;
    };
    static constexpr std::size_t sizes::*members[] = {&sizes::input, &sizes::units, &sizes::projection};

    description const& d_;
    std::vector<known> known_{};
    sizes found_{};

    std::vector<std::size_t> shape_without_leading(block_table const& table, sizes const& n) const {
        auto shape = shape_of(d_, table, n, {});
        shape.erase(shape.begin(), shape.begin() + table.leading_axes());
        return shape;
    }
    /// Whether an axis says something that was not known.
    bool learn(block_table const& table, std::vector<std::size_t> const& shape) {
        auto const with_known = shape_without_leading(table, found_);
        if (with_known.size() != shape.size())
            return false;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            std::size_t sizes::*unknown = nullptr;
            std::size_t times = 0;
            int unknowns = 0;
            for (auto const member : members) {
                if (found_.*member != 0)
                    continue;
                sizes more = found_;
                more.*member = found_.groups;
                if (std::size_t const grown = shape_without_leading(table, more)[axis];
                    grown > with_known[axis]) {
                    unknown = member;
                    times = grown - with_known[axis];
                    ++unknowns;
                }
            }
            if (unknowns != 1 || shape[axis] <= with_known[axis] ||
                (shape[axis] - with_known[axis]) % times != 0)
                continue;
            found_.*unknown = (shape[axis] - with_known[axis]) / times * found_.groups;
            return true;
        }
        return false;
    }
};

} // namespace detail
} // namespace sluice::layout
