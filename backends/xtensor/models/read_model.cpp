// SPDX-License-Identifier: BSL-1.0
#include <sluice/checkpoint/formats/onnx.hpp>
#include <sluice/checkpoint/formats/safetensors.hpp>
#include <sluice/model/describe_weights.hpp>
#include <sluice/model/read_description.hpp>
#include <sluice/model/read_model.hpp>
#ifdef SLUICE_MODELS_INFLATE
#include <sluice/checkpoint/formats/keras.hpp>
#include <sluice/checkpoint/formats/npz.hpp>
#endif

namespace sluice {

described_model read_model_description(std::filesystem::path const& path, std::string_view convention,
                                       std::span<std::string const> cells) {
    std::string const ending = path.extension().string(), file = checkpoint_errors::shown_path(path);
    auto const weights = [&](archive const& from) { return describe_weights(from, file, convention, cells); };
    if (ending == ".safetensors")
        return weights(safetensors::read(path));
    if (ending == ".onnx")
        return weights(onnx::read(path));
#ifdef SLUICE_MODELS_INFLATE
    if (ending == ".npz")
        return weights(npz::read(path));
    if (ending == ".h5" || ending == ".hdf5" || ending == ".keras")
        return weights(keras::read(path));
#endif
    return read_description(path);
}
described_model describe_model_text(std::string_view text, std::string const& file) {
    return describe_model(text, file);
}

} // namespace sluice
