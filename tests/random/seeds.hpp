// SPDX-License-Identifier: BSL-1.0
// Which random cells a run makes: SLUICE_RANDOM_SEED repeats those of an earlier one, SLUICE_RANDOM_CELLS says
// how many there are.
#pragma once

#include <cstdlib>
#include <random/generate.hpp>
#include <random>

namespace random_cells {

inline std::uint64_t number_from_environment(char const* called, std::uint64_t otherwise) {
    char const* const digits = std::getenv(called);
    return digits == nullptr ? otherwise : std::strtoull(digits, nullptr, 10);
}

inline random_cell make_cell(std::uint64_t seed) {
    sluice::random_stream random(sluice::seed{seed}, "cells");
    return generator(random).make();
}

/// Cells whose values are so large that differences say nothing.
inline bool is_wild(random_cell const& cell) {
    results const r = run_forward(view_of(cell.g), cell.e, cell.given);
    for (history const& h : r.values)
        for (array const& a : h)
            for (double v : a.numbers)
                if (!(std::abs(v) < 100))
                    return true;
    return false;
}

struct seeds {
    std::uint64_t const first = number_from_environment("SLUICE_RANDOM_SEED", std::random_device{}());
    std::uint64_t const cells;

    explicit seeds(std::uint64_t count) : cells(number_from_environment("SLUICE_RANDOM_CELLS", count)) {}
};

} // namespace random_cells
