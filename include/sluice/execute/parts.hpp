// SPDX-License-Identifier: BSL-1.0
// A sequence of which nothing is kept is run in parts: some rows of the batch through some time steps, then
// through the next ones, in the same memory. What a step reads of its hoisted products is then still in the
// caches.
//
//   for rows of the batch:   for time steps:   before, loop, after;  outputs;  the states go on
#pragma once

#include <algorithm>
#include <cstddef>
#include <sluice/execute/rows.hpp>
#include <sluice/plan/plan.hpp>
#include <vector>

namespace sluice {

/// Rows of the batch, and time steps, of a sequence.
struct sequence_part {
    std::size_t first_row = 0, rows = 0;
    std::size_t first_step = 0, steps = 0;

    friend bool operator==(sequence_part const&, sequence_part const&) = default;
};

/// How large a part is: its values fill half of a second cache, but it has no fewer rows than a hoisted
/// matrix, which is `depth` rows: with fewer, every part would read more of that matrix than of the products.
/// A plan that sums over rows or time is not cut.
template <class S>
sequence_part usual_part(plan_view p, sizes const& n, std::size_t depth, std::size_t steps,
                         std::size_t batch) {
    constexpr std::size_t cached = 512 * 1024 / sizeof(S), least = 64, most = 256;
    sequence_part part{.rows = batch, .steps = steps};
    for (task const& t : p.tasks)
        if (t.kind == task_kind::outer || t.kind == task_kind::total)
            return part;
    std::size_t numbers = 1;
    for (buffer const& b : p.buffers)
        numbers += p.extent(b.columns, n);
    if (batch >= 2 * least)
        part.rows = (batch + batch / least - 1) / (batch / least);
    std::size_t const rows = std::max(std::clamp(cached / numbers, least, most), depth);
    part.steps = std::min(steps, std::max<std::size_t>(rows / std::max<std::size_t>(part.rows, 1), 1));
    return part;
}

/// The rows of a part; `lengths` keeps theirs.
inline row_times rows_of(row_times const& all, sequence_part const& part, std::vector<std::size_t>& lengths) {
    row_times made{.batch = all.batch, .continues = part.first_step > 0};
    if (!all.resets.empty())
        made.resets = all.resets.subspan(part.first_step * all.batch + part.first_row);
    if (!all.lengths.empty()) {
        lengths.clear();
        for (std::size_t const length : all.lengths.subspan(part.first_row, part.rows))
            lengths.push_back(std::clamp(length, part.first_step, part.first_step + part.steps) -
                              part.first_step);
        made.lengths = lengths;
    }
    return made;
}

} // namespace sluice
