// SPDX-License-Identifier: BSL-1.0
// Whatever shows its tensors can be saved and loaded: cells, optimisers, a user's own struct.
//
//   save("model.safetensors", cell);               // names as they are: "W_r", "R_r" ...
//   save("model.safetensors", cell, optimiser);    // several objects: "0.W_r" ..., "1.step" ...
//   load("model.safetensors", cell, optimiser);    // the same objects in the same order
//
// A load looks at every tensor of every object first; if one is missing or has another element type or
// shape, it throws and nothing has changed. Tensors of the file that no object has are ignored, so a cell can
// be loaded from a file that holds more than the cell.
#pragma once

#include <sluice/checkpoint/archive.hpp>
#include <sluice/checkpoint/safetensors.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace sluice {

namespace detail {

/// Takes any tensor and does nothing: what a storable must be able to visit.
struct tensor_visitor {
    template <class Scalar>
    void operator()(std::string_view, std::span<std::size_t const>, std::span<Scalar>) const {}
};

} // namespace detail

/// object.visit_tensors(f) calls f(name, shape, values) for each tensor, with std::span<Scalar const> values
/// on a const object and std::span<Scalar> on another one; both show the same tensors.
template <class Object>
concept storable = requires(Object& object, Object const& constant, detail::tensor_visitor visitor) {
    object.visit_tensors(visitor);
    constant.visit_tensors(visitor);
};

template <storable Object>
void store(archive& destination, Object const& object, std::string_view prefix = {}) {
    object.visit_tensors([&](std::string_view name, std::span<std::size_t const> shape, auto values) {
        using scalar = std::remove_const_t<typename decltype(values)::element_type>;
        destination.add<scalar>(std::string(prefix).append(name), shape, values);
    });
}

namespace detail {

template <storable Object>
void require_tensors(archive const& source, std::string_view prefix, Object const& object) {
    object.visit_tensors([&](std::string_view name, std::span<std::size_t const> shape, auto values) {
        using scalar = std::remove_const_t<typename decltype(values)::element_type>;
        source.tensor<scalar>(std::string(prefix).append(name), shape);
    });
}

template <storable Object>
void copy_tensors(archive const& source, std::string_view prefix, Object& object) {
    object.visit_tensors([&](std::string_view name, std::span<std::size_t const> shape, auto values) {
        using scalar = typename decltype(values)::element_type;
        source.copy<scalar>(std::string(prefix).append(name), shape, values);
    });
}

/// Calls f(prefix, object) for each: a single object has no prefix.
template <class Function, class... Objects>
void for_each_prefixed(Function f, Objects&... objects) {
    std::size_t index = 0;
    auto const prefix = [&] { return sizeof...(objects) == 1 ? "" : std::to_string(index++) + "."; };
    (f(prefix(), objects), ...);
}

} // namespace detail

/// All of the object's tensors, or, when one does not match, none.
template <storable Object>
void restore(archive const& source, std::string_view prefix, Object& object) {
    detail::require_tensors(source, prefix, object);
    detail::copy_tensors(source, prefix, object);
}

template <storable... Objects>
    requires(sizeof...(Objects) > 0)
void save(std::filesystem::path const& path, Objects const&... objects) {
    archive contents;
    detail::for_each_prefixed(
        [&](std::string const& prefix, auto const& object) { store(contents, object, prefix); }, objects...);
    safetensors::write(path, contents);
}

template <storable... Objects>
    requires(sizeof...(Objects) > 0)
void load(std::filesystem::path const& path, Objects&... objects) {
    archive const contents = safetensors::read(path);
    detail::for_each_prefixed([&](std::string const& prefix,
                                  auto const& object) { detail::require_tensors(contents, prefix, object); },
                              objects...);
    detail::for_each_prefixed(
        [&](std::string const& prefix, auto& object) { detail::copy_tensors(contents, prefix, object); },
        objects...);
}

} // namespace sluice
