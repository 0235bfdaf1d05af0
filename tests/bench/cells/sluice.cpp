// SPDX-License-Identifier: BSL-1.0
#include "sluice.hpp"
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>

namespace bench {

std::optional<contestant> this_library(cell_numbers const& cell, sequence const& over) {
    if (cell.projection > 0 || cell.groups > 1)
        return this_library_lstms(cell, over);
    switch (cell.kind) {
    case cell_kind::lstm:
        return sluice_contestant<sluice::lstm>(cell, over);
    case cell_kind::gru:
        return sluice_contestant<sluice::gru>(cell, over);
    default:
        return sluice_contestant<sluice::cudnn_gru>(cell, over);
    }
}

} // namespace bench
