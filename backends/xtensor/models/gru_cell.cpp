// SPDX-License-Identifier: BSL-1.0
#include "compiled_cells.hpp"

#include <sluice/cells/cudnn_gru.hpp>

namespace sluice::compiled_models {

cell_of_float gru_cell() {
    return cell_of_audio<cudnn_gru>();
}

} // namespace sluice::compiled_models
