// SPDX-License-Identifier: BSL-1.0
#include "compiled_cells.hpp"

#include <sluice/cells/lstm.hpp>

namespace sluice::compiled_models {

cell_of_float lstm_cell() {
    return cell_of_audio<lstm>();
}

} // namespace sluice::compiled_models
