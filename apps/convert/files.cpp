// SPDX-License-Identifier: BSL-1.0
#include "files.hpp"

#include <sluice/checkpoint/durable_file.hpp>
#include <sluice/checkpoint/formats/keras.hpp>
#include <sluice/checkpoint/formats/npz.hpp>
#include <sluice/checkpoint/formats/onnx.hpp>
#include <sluice/checkpoint/formats/safetensors.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>

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

std::vector<std::byte> file_of(std::filesystem::path const& path, sluice::archive const& contents) {
    std::string const ending = path.extension().string();
    if (ending == ".safetensors")
        return sluice::safetensors::serialise(contents);
    if (ending == ".npz")
        return sluice::npz::serialise(contents);
    if (ending == ".h5")
        return sluice::keras::serialise(contents);
    throw std::invalid_argument(sluice::checkpoint_errors::shown_path(path) +
                                " has no ending that is known; .safetensors, .npz and .h5 are written");
}

namespace {

/// Where a path leads, whichever way, also when nothing is there yet.
std::filesystem::path place_of(std::filesystem::path const& path) {
    return std::filesystem::weakly_canonical(
        std::filesystem::absolute(sluice::detail::find_target(path).path));
}
/// Throws `file_unwritable` where a file cannot be written, as far as that is known before.
void require_place(std::filesystem::path const& path) {
    std::filesystem::path const folder = place_of(path).parent_path();
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        throw sluice::detail::write_refusal(sluice::checkpoint_errors::shown_path(path),
                                            "getting permission to write to its folder");
}

/// Whether two paths lead to one file: by links, or as two names of it.
bool is_same_file(std::filesystem::path const& left, std::filesystem::path const& right) {
    std::error_code problem;
    return std::filesystem::equivalent(left, right, problem) || place_of(left) == place_of(right);
}

} // namespace

void write_results(std::filesystem::path const& read, std::span<result const> results) {
    using sluice::checkpoint_errors::shown_path;
    for (std::size_t i = 0; i < results.size(); ++i) {
        require_place(results[i].path);
        if (is_same_file(results[i].path, read))
            throw std::invalid_argument(shown_path(results[i].path) + " is the file that is read, " +
                                        shown_path(read) +
                                        ", and what is not converted would be lost; name another file");
        for (std::size_t k = 0; k < i; ++k)
            if (is_same_file(results[i].path, results[k].path))
                throw std::invalid_argument(shown_path(results[k].path) + " and " +
                                            shown_path(results[i].path) +
                                            " are one file, and one result would overwrite the other; "
                                            "name two files");
    }
    for (result const& one : results)
        sluice::detail::replace_file(one.path, one.bytes);
}

} // namespace convert
