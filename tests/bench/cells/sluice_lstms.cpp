// SPDX-License-Identifier: BSL-1.0
#include "sluice.hpp"
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/lstm.hpp>

namespace bench {

std::optional<contestant> this_library_lstms(cell_numbers const& cell, sequence const& over) {
    if (cell.kind != cell_kind::lstm || (cell.groups > 1 && (cell.projection > 0 || over.trains())))
        return {};
    return cell.groups > 1 ? sluice_contestant<sluice::glstm, false>("sluice", cell, over)
                           : sluice_contestant<sluice::projected_lstm>(cell, over);
}

} // namespace bench
