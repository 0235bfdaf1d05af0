// SPDX-License-Identifier: BSL-1.0
// Models of files, for programs that link the library sluice::models (or sluice::models_native), in which
// cells and readers are compiled:
//
//   auto const amp = sluice::read_model("amp.nam");       // a sluice::model<float>
//   std::cout << amp.describe();
#pragma once

#include <filesystem>
#include <sluice/model/cell_list.hpp>
#include <sluice/model/described_model.hpp>
#include <sluice/model/model.hpp>
#include <span>
#include <string>
#include <string_view>

namespace sluice {

/// What a file says, whichever format it has: models (sluice/model/read_description.hpp) or weights of a
/// framework, in .safetensors, .onnx, .npz, .h5 and .keras (sluice/model/describe_weights.hpp). `convention`
/// names that of weights where they do not say it themselves, and `cells` are those that a net may have.
/// Throws checkpoint_error for a file that is no model, or whose layers cannot be run.
described_model read_model_description(std::filesystem::path const& path, std::string_view convention = {},
                                       std::span<std::string const> cells = {});
/// The same of the text of a file, which errors call `file`.
described_model describe_model_text(std::string_view text, std::string const& file);

/// The cells of the library, for float and double: lstm, cudnn_gru, gru, rnn, relu_rnn, dense and the
/// pointwise layers of RTNeural. Those of float have steps of constant sizes for LSTM and GRU of 8, 12 to 40
/// units with one input, and for dense layers from them to 1.
template <class S = float>
cell_list<S> compiled_cells();

/// The net of a file. `convention` is that of weights of a framework, "pytorch_gru", where their names and
/// shapes leave a choice. Throws checkpoint_error for a file that is no model, and `std::invalid_argument`
/// for one with a cell that the list has not.
template <class S>
model<S> read_model(std::filesystem::path const& path, cell_list<S> const& cells,
                    std::string_view convention = {}) {
    return cells.make(read_model_description(path, convention, cells.names()));
}
/// The same with the cells of the library.
template <class S = float>
model<S> read_model(std::filesystem::path const& path, std::string_view convention = {}) {
    return read_model(path, compiled_cells<S>(), convention);
}

} // namespace sluice
