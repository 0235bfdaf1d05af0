// SPDX-License-Identifier: BSL-1.0
// What this machine can do at most, on one core: the best of all rounds, since the clock of a core changes
// with its warmth and its neighbours.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace bench {

struct machine {
    double flops = 0; ///< multiplications and additions of floats a second
    std::vector<std::pair<std::size_t, double>>
        reads{}; ///< bytes that are read again and again, and bytes a second

    /// A round of multiplications and additions in registers, about two milliseconds.
    void measure_flops();
    /// A round of reads of each size.
    void measure_reads();
    /// Bytes a second of so many bytes.
    double read_rate(double bytes) const;
};
machine measure_machine();

} // namespace bench
