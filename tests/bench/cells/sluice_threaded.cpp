// SPDX-License-Identifier: BSL-1.0
#include "sluice.hpp"
#if __has_include(<sluice/xtensor/threaded.hpp>)
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/xtensor/threaded.hpp>
#define BENCH_THREADED
#endif

namespace bench {

std::optional<contestant> this_library_threaded(cell_numbers const& cell, sequence const& over) {
#ifdef BENCH_THREADED
    if (cell.kind == cell_kind::cudnn_gru && !over.trains())
        return sluice_contestant<sluice::cudnn_gru, false, sluice::xtensor::threaded>("sluice, two threads",
                                                                                      cell, over);
#else
    (void)cell, (void)over;
#endif
    return {};
}

} // namespace bench
