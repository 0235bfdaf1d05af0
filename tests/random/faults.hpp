// SPDX-License-Identifier: BSL-1.0
// Which random cells a run makes, and what it prints of those with a fault: the seed, the cell in its
// smallest form and its plans. SLUICE_RANDOM_SEED repeats a run, SLUICE_RANDOM_CELLS says how many cells
// there are.
#pragma once

#include <cstdlib>
#include <doctest/doctest.h>
#include <random/check.hpp>
#include <random/shrink.hpp>
#include <random>
#include <sluice/plan/print_plan.hpp>

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

/// All that a person needs to find the mistake.
inline std::string describe(random_cell const& cell, bool fuse, std::string const& fault) {
    std::ostringstream out;
    out << print_equations(view_of(cell.g)) << "input " << cell.e.n.input << ", units " << cell.e.n.units
        << ", projection " << cell.e.n.projection << ", " << cell.e.steps << " steps, batch " << cell.e.batch
        << ", lengths";
    for (size_t length : cell.e.lengths)
        out << ' ' << length;
    out << (fuse ? "\nfused: " : "\nnot fused: ") << fault << "\n\n";
    try {
        graph const g = fuse ? sluice::fuse(view_of(cell.g)) : sluice::without_fusing(view_of(cell.g));
        sluice::gradient const d = sluice::differentiate(view_of(g), sluice::derivative_rules(table{}));
        planned const plans = plan_both(view_of(g), view_of(d.whole));
        out << print_equations(view_of(d.whole)) << '\n'
            << print_plan(view_of(plans.forward), view_of(g))
            << print_plan(view_of(plans.backward), view_of(d.whole));
    } catch (std::exception const&) {
        out << "there is no plan\n";
    }
    return out.str();
}

/// Makes so many cells, and fails for each that has a fault, fused or not: `fault_of(cell, seed, fuse)` says
/// in words what is wrong, or nothing. It stops at the third.
inline void check_cells(std::uint64_t count, auto const& fault_of) {
    std::uint64_t const first = number_from_environment("SLUICE_RANDOM_SEED", std::random_device{}());
    std::uint64_t const cells = number_from_environment("SLUICE_RANDOM_CELLS", count);
    MESSAGE("SLUICE_RANDOM_SEED=" << first << " repeats these " << cells << " cells");
    int faults = 0;
    for (std::uint64_t seed = first; seed < first + cells && faults < 3; ++seed)
        for (bool const fuse : {true, false}) {
            auto const fault = [&](random_cell const& cell) -> std::string {
                try {
                    return is_wild(cell) ? std::string() : fault_of(cell, seed, fuse);
                } catch (std::exception const& e) {
                    return e.what();
                }
            };
            random_cell const cell = make_cell(seed);
            std::string const words = fault(cell);
            if (words.empty())
                continue;
            ++faults;
            random_cell const small = shrink(cell, [&](random_cell const& smaller) {
                return fault(smaller).substr(0, 20) == words.substr(0, 20);
            });
            FAIL_CHECK("SLUICE_RANDOM_SEED=" << seed << " SLUICE_RANDOM_CELLS=1\n"
                                             << describe(small, fuse, fault(small)));
            break;
        }
}

} // namespace random_cells
