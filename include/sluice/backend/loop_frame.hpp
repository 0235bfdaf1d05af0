// SPDX-License-Identifier: BSL-1.0
// The loop of a plan as one piece of work: where the operands of its blocks lie over all time steps.
#pragma once

#include <sluice/backend/strided.hpp>
#include <sluice/plan/plan.hpp>
#include <vector>

namespace sluice {

/// Of each block of the loop, in its order, loads before stores. All blocks have the same rows and columns.
template <class S>
struct loop_frame {
    std::vector<strided_view<S>> const& operands;
    std::vector<bool> const& are_stored; ///< of each operand
    std::size_t rows = 0;
    std::size_t columns = 1;
    std::size_t piece = 1; ///< columns that lie side by side in all operands
    std::size_t steps = 0;
    bool backward = false;
    /// How many features an instruction of a block means.
    std::size_t (*count)(void const* about, int block, int instruction) = nullptr;
    void const* about = nullptr;
};

/// How a loop is run; false: it was not, and its steps have to be.
template <class S, class Kernels>
using loop_runner = bool (*)(Kernels const&, loop_frame<S> const&);

/// Whether an operand of a loop reads, or writes, in another column what one of them writes; or whether that
/// cannot be told.
template <class S>
bool overlapping_columns(loop_frame<S> const& f) {
    auto const end_of = [&](strided_view<S> const& v) {
        std::size_t const count = v.slot_count == 0 ? f.steps + v.shift : v.slot_count;
        std::size_t const last = v.columns == 0 ? 0 : v.offset(v.columns - 1);
        return v.data + (count == 0 ? 0 : count - 1) * v.time + (f.rows - 1) * v.row + last + 1;
    };
    std::vector<std::size_t> column_at;
    for (std::size_t i = 0; i < f.operands.size(); ++i) {
        strided_view<S> const& written = f.operands[i];
        if (!f.are_stored[i])
            continue;
        for (strided_view<S> const& other : f.operands) {
            if (&other == &written || other.data == nullptr || other.data >= end_of(written) ||
                written.data >= end_of(other))
                continue;
            std::size_t const apart = static_cast<std::size_t>(
                other.data < written.data ? written.data - other.data : other.data - written.data);
            if (other.row != written.row || other.time != written.time || other.columns != written.columns ||
                apart >= written.row)
                return true;
            std::size_t const first = written.data < other.data ? 0 : apart;
            std::size_t const of_other = written.data < other.data ? apart : 0;
            column_at.assign(2 * written.row, 0);
            for (std::size_t c = 0; c < f.columns; ++c)
                column_at[first + written.offset(c)] = c + 1;
            for (std::size_t c = 0; c < f.columns; ++c)
                if (std::size_t const there = column_at[of_other + other.offset(c)];
                    there != 0 && there != c + 1)
                    return true;
        }
    }
    return false;
}

} // namespace sluice
