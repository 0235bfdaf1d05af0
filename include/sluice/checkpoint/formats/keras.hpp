// SPDX-License-Identifier: BSL-1.0
// The files of Keras: HDF5, and zip files of it. Needs zlib: link sluice::deflate.
//
//   model.weights.h5    layers/gru/cell/vars/0         by the layer's kind and number, whatever its name
//   model.keras         the same, of its entry model.weights.h5
//   model.h5            gru/gru_cell/kernel:0          the legacy format: names of variables, as they stand
//                                                      in the attributes weight_names; Keras 3 leaves :0 out
//
// The groups that the legacy format puts before a name, model_weights and the layer's, are left out. Written
// are files of the first kind, for load_weights of Keras 2.13 and later. What reading costs is bounded by
// budget.hpp, for a .keras by the size of the zip file.
#pragma once

#include <sluice/checkpoint/budget.hpp>
#include <sluice/checkpoint/formats/hdf5.hpp>
#include <sluice/checkpoint/formats/zip.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::keras {
namespace detail {

inline archive parse_hdf5(std::span<std::byte const> bytes, std::string const& source,
                          checkpoint_budget& left) {
    hdf5::contents all = hdf5::parse_all(bytes, source, left);
    for (std::string const group : {"model_weights", ""}) {
        auto const& attributes = all.attributes[group];
        // a long list is split into several
        if (!attributes.contains("layer_names") && !attributes.contains("layer_names0"))
            continue;
        std::string const before = group.empty() ? "" : group + "/";
        archive named(source);
        for (stored_tensor& tensor : std::move(all.datasets).release()) {
            std::string_view name = tensor.name;
            std::size_t const layer = name.find('/', before.size());
            if (name.starts_with(before) && layer != name.npos)
                name.remove_prefix(layer + 1);
            if (!named.contains(name)) // otherwise two layers call a variable alike, and the whole path stays
                tensor.name = std::string(name);
            named.add(std::move(tensor), left);
        }
        return named;
    }
    return std::move(all.datasets);
}

} // namespace detail

/// The weights in these bytes; `source` is what errors call them. Throws a `checkpoint_error` with a sentence
/// where they are no file of Keras, or break a rule of zip files or of `hdf5`.
inline archive parse(std::span<std::byte const> bytes, std::string const& source, checkpoint_budget& left) {
    using namespace checkpoint_errors;
    if (!zip::is_zip(bytes))
        return detail::parse_hdf5(bytes, source, left);
    std::string const file = shown_path(source);
    zip::reader const packed(bytes, file, left);
    for (zip::entry const& one : packed.entries())
        if (one.name == "model.weights.h5") {
            auto const unpacked = packed.unpacked(one);
            return detail::parse_hdf5({unpacked.data(), unpacked.size()}, source, left);
        }
    throw missing_field(file + " has no entry model.weights.h5, as a .keras has.");
}
inline archive parse(std::span<std::byte const> bytes, std::string const& source = "memory") {
    checkpoint_budget left(bytes.size(), checkpoint_errors::shown_path(source));
    return parse(bytes, source, left);
}

/// A .weights.h5 of tensors that are called as its. Throws as `hdf5::serialise`.
inline std::vector<std::byte> serialise(archive const& from) {
    std::string const of_model[] = {
        "vars"}; // its own variables, which Keras 2 looks for though there are none
    return hdf5::serialise(from, of_model);
}

inline archive read(std::filesystem::path const& path) {
    return parse(sluice::detail::input_file(path).all(), path.string());
}
/// Replaces the file as a whole or not at all.
inline void write(std::filesystem::path const& path, archive const& from) {
    sluice::detail::replace_file(path, serialise(from));
}

} // namespace sluice::keras
