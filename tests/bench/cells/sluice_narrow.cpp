// SPDX-License-Identifier: BSL-1.0
#include "sluice.hpp"
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/core/half.hpp>
#include <sluice/core/int8.hpp>
#include <sluice/xtensor/narrow/narrow_weights.hpp>

namespace bench {

std::optional<contestant> this_library_narrow(bool in_bytes, cell_numbers const& cell, sequence const& over) {
    if (cell.kind != cell_kind::cudnn_gru || over.trains())
        return {};
    using sluice::xtensor::weights;
    return in_bytes
               ? sluice_contestant<sluice::cudnn_gru, false, weights<sluice::int8>>("sluice", cell, over)
               : sluice_contestant<sluice::cudnn_gru, false, weights<sluice::bfloat16>>("sluice", cell, over);
}

} // namespace bench
