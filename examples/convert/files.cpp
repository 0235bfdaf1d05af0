// SPDX-License-Identifier: BSL-1.0
#include "files.hpp"

#include <sluice/checkpoint/keras.hpp>
#include <sluice/checkpoint/npz.hpp>
#include <sluice/checkpoint/onnx.hpp>
#include <sluice/checkpoint/safetensors.hpp>
#include <stdexcept>
#include <string>

namespace convert {

sluice::archive read_file(std::filesystem::path const& path) {
    std::string const ending = path.extension().string();
    if (ending == ".safetensors")
        return sluice::safetensors::read(path);
    if (ending == ".npy")
        return sluice::npy::read(path);
    if (ending == ".npz" || ending == ".pt" ||
        ending == ".pth") // zip files, of which PyTorch's are refused with advice
        return sluice::npz::read(path);
    if (ending == ".h5" || ending == ".hdf5" || ending == ".keras")
        return sluice::keras::read(path);
    if (ending == ".onnx")
        return sluice::onnx::read(path);
    throw std::invalid_argument(
        sluice::checkpoint_errors::shown_path(path) +
        " has no ending that is known; .safetensors, .npz, .npy, .h5, .keras and .onnx are read");
}

void write_file(std::filesystem::path const& path, sluice::archive const& contents) {
    std::string const ending = path.extension().string();
    if (ending == ".safetensors")
        sluice::safetensors::write(path, contents);
    else if (ending == ".npz")
        sluice::npz::write(path, contents);
    else if (ending == ".h5")
        sluice::keras::write(path, contents);
    else
        throw std::invalid_argument(sluice::checkpoint_errors::shown_path(path) +
                                    " has no ending that is known; .safetensors, .npz and .h5 are written");
}

} // namespace convert
