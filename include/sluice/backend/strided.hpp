// SPDX-License-Identifier: BSL-1.0
// A strided view: where the value of a node lies. Every other header asks it for addresses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/fail.hpp>
#include <stdexcept>

namespace sluice {

/// Whether that is the address of one of so many numbers.
template <class S>
bool is_one_of(S const* p, S const* first, std::size_t count) {
    std::less<S const*> const before;
    return !before(p, first) && before(p, first + count);
}

/// [time, rows, columns] numbers in memory. The columns lie in pieces: those of a group side by
/// side, and groups `group` apart.
template <class S>
struct strided_view {
    S* data = nullptr;
    std::size_t time = 0;       ///< from one time slot to the next; 0: the same at all time steps
    std::size_t row = 0;        ///< from one row to the next; 0: all rows are the same
    std::size_t columns = 1;    ///< of a row
    std::size_t width = 1;      ///< columns that lie side by side: those of a group, or all
    std::size_t group = 0;      ///< from one group to the next
    std::size_t shift = 0;      ///< the slot of time step 0
    std::size_t slot_count = 0; ///< time steps use so many slots in turn; 0: each has its own
    arithmetic_of<S> number{};  ///< of a setting that lies nowhere, because its arithmetic is not S

    /// Rows side by side without a gap.
    static strided_view dense(S* data, std::size_t batch, std::size_t columns, bool over_time) {
        return {.data = data,
                .time = over_time ? batch * columns : 0,
                .row = columns,
                .columns = columns,
                .width = std::max<std::size_t>(columns, 1)};
    }
    /// One row that is the same everywhere.
    static strided_view constant(S* data, std::size_t columns) {
        return {.data = data, .columns = columns, .width = std::max<std::size_t>(columns, 1)};
    }

    /// Row 0 of a time step.
    S* at(std::size_t t) const {
        if (time == 0)
            return data;
        std::size_t const slot = slot_count == 0 ? t + shift : (t + shift) % slot_count;
        return data + slot * time;
    }
    /// Whether every second time step is at the same place.
    bool repeats() const { return time == 0 || slot_count == 1 || slot_count == 2; }
    /// How far a column is from the beginning of its row.
    std::size_t offset(std::size_t column) const {
        return column < width ? column : column / width * group + column % width;
    }
    /// f(column, offset, count) for the pieces of columns [first, first + count).
    template <class F>
    void for_pieces(std::size_t first, std::size_t count, F f) const {
        for (std::size_t c = first, length = 0; c < first + count; c += length) {
            length = std::min(first + count - c, width - c % width);
            f(c, offset(c), length);
        }
    }
    /// Whether parts of so many columns, from the first on, each lie side by side and at one distance from
    /// each other, which is then `next`.
    bool has_parts(std::size_t count, std::size_t length, std::size_t& next) const {
        if (length == 0 || (count * length > width && width % length != 0))
            return false;
        next = offset(length);
        for (std::size_t part = 2; part < count; ++part)
            if (offset(part * length) != part * next)
                return false;
        return true;
    }
    /// Whether rows lie side by side without a gap.
    bool is_dense() const { return row == columns && width >= columns; }
    /// Whether the rows of all time steps are rows of one matrix.
    bool is_flat(std::size_t batch) const { return time == batch * row && (slot_count == 0 || time == 0); }

    /// Columns [first, first + count), or, with groups, that part of each: first / groups, count / groups.
    strided_view part(std::size_t first, std::size_t count, std::size_t groups) const {
        strided_view result = *this;
        bool const is_cut = width < columns;
        result.columns = count;
        if (groups > 1 && (!is_cut || columns / width == groups)) {
            result.data += first / groups;
            result.width = count / groups;
            result.group = is_cut ? group : columns / groups;
        } else if (groups <= 1 &&
                   (first % width + count <= width || (first % width == 0 && count % width == 0))) {
            result.data += offset(first);
            result.width = std::min(count, width);
        } else
            fail<std::logic_error>(
                {"a plan takes columns that lie in pieces of another size; this is a fault of the planner"});
        result.width = std::max<std::size_t>(result.width, 1);
        return result;
    }
};

/// f(columns, offset in a, offset in b, count) for the pieces that lie side by side in both.
template <class S, class F>
void for_common_pieces(strided_view<S> const& a, strided_view<S> const& b, F f) {
    a.for_pieces(0, a.columns, [&](std::size_t first, std::size_t, std::size_t count) {
        b.for_pieces(first, count, [&](std::size_t column, std::size_t in_b, std::size_t length) {
            f(a.offset(column), in_b, length);
        });
    });
}

} // namespace sluice
