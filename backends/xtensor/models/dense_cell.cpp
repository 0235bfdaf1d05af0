// SPDX-License-Identifier: BSL-1.0
#include "compiled_cells.hpp"

#include <sluice/cells/dense.hpp>

namespace sluice::compiled_models {

// To one output, from what the cells of audio give.
cell_of_float dense_cell() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
        return model_cell_with<float, dense, sizes{.input = 8 + 4 * I, .units = 1}...>();
    }
    (std::make_index_sequence<9>());
}

} // namespace sluice::compiled_models
