// SPDX-License-Identifier: BSL-1.0
// What the files of sluice::models share. The cells whose steps have constant sizes are compiled in files of
// their own, because they take the compiler longest.
#pragma once

#include <cstddef>
#include <sluice/model/model_cell.hpp>
#include <sluice/xtensor/step.hpp>
#include <utility>

namespace sluice::compiled_models {

using cell_of_float = model_cell<float, xtensor::kernels>;

cell_of_float lstm_cell();
cell_of_float gru_cell();
cell_of_float dense_cell();

/// 8, 12 to 40 units with one input.
template <class Page>
cell_of_float cell_of_audio() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
        return model_cell_with<float, Page, sizes{.input = 1, .units = 8 + 4 * I}...>();
    }
    (std::make_index_sequence<9>());
}

} // namespace sluice::compiled_models
