// SPDX-License-Identifier: BSL-1.0
// Archives of numpy, .npz: zip files of .npy files, stored (numpy.savez) or deflated (savez_compressed), read
// and written. Needs zlib: link sluice::deflate. What reading costs is bounded by budget.hpp.
#pragma once

#include <sluice/checkpoint/formats/npy.hpp>
#include <sluice/checkpoint/formats/zip.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::npz {

inline constexpr std::string_view ending = ".npy";

/// The arrays in these bytes, each by its name without the ending .npy; `source` is what errors call them.
/// Throws a `checkpoint_error` with a sentence where they break a rule of the formats.
inline archive parse(std::span<std::byte const> bytes, std::string const& source, checkpoint_budget& left) {
    using namespace checkpoint_errors;
    std::string const file = shown_path(source);
    zip::reader const packed(bytes, file, left);
    for (zip::entry const& one : packed.entries())
        if (one.name.ends_with("/data.pkl"))
            throw bad_entry(file + " is a file of PyTorch, and a program to unpickle. In Python, "
                                   "`from safetensors.torch import save_file` and "
                                   "`save_file(torch.load(\"model.pt\", weights_only=True), "
                                   "\"model.safetensors\")` make one that can be read.");
    archive made(source);
    for (zip::entry const& one : packed.entries()) {
        if (!one.name.ends_with(ending))
            throw bad_entry(file + ": entry " + shown(one.name) + " is no .npy, of which an .npz consists.");
        auto const unpacked = packed.unpacked(one);
        made.add(npy::parse({unpacked.data(), unpacked.size()},
                            one.name.substr(0, one.name.size() - ending.size()), file, left),
                 left);
    }
    return made;
}
inline archive parse(std::span<std::byte const> bytes, std::string const& source = "memory") {
    checkpoint_budget left(bytes.size(), checkpoint_errors::shown_path(source));
    return parse(bytes, source, left);
}

/// The arrays of an archive as a zip file of stored entries, in their order; metadata has no place in it.
/// Throws as `npy::serialise`, and `checkpoint_errors::size_overflow` for more than 65534 arrays or 4 GB.
inline std::vector<std::byte> serialise(archive const& contents) {
    zip::writer packed;
    for (stored_tensor const& tensor : contents.tensors())
        packed.add(tensor.name + std::string(ending), npy::serialise(tensor));
    return std::move(packed).finish();
}

inline archive read(std::filesystem::path const& path) {
    return parse(sluice::detail::input_file(path).all(), path.string());
}
/// Replaces the file as a whole or not at all.
inline void write(std::filesystem::path const& path, archive const& contents) {
    sluice::detail::replace_file(path, serialise(contents));
}

} // namespace sluice::npz
