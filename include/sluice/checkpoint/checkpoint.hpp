// SPDX-License-Identifier: BSL-1.0
// Whatever shows its tensors can be saved and loaded: cells, optimisers, a user's own struct.
//
//   save("model.safetensors", cell);               // names as they are: "W_r", "R_r" ...
//   save("model.safetensors", cell, optimiser);    // several objects: "0.W_r" ..., "1.step" ...
//   load("model.safetensors", cell, optimiser);    // the same objects in the same order
//   save("small.safetensors", {.weights = dtype::bf16}, cell);   // or f16, or i8 with one scale a column
//
// A load fills copies of the objects, each of which checks the values that it takes, and moves them into the
// objects when all are complete; when anything does not fit, it throws and nothing has changed. Tensors of
// the file that no object has are ignored, so a cell can be loaded from a file that holds more than the cell.
// The equations of a cell are saved with it, and a load into a cell of other equations is refused.
//
// Weights are the parameters of what has equations, cells and stacks. They can be saved in fewer bits; a load
// takes them in their own type or in any of the narrow ones, and widens them. What has no equations, as an
// optimiser, is saved and loaded as it is, and so are settings.
//
// What a file of another program lacks, such as a setting, can be added to an archive:
//
//   archive a = safetensors::read("other.safetensors");
//   a.add<float>("forget_bias", {}, std::array{1.f});
//   restore(a, cell);
#pragma once

#include <sluice/checkpoint/archive.hpp>
#include <sluice/checkpoint/formats/safetensors.hpp>
#include <sluice/checkpoint/narrow.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sluice {

namespace detail {

/// Takes any tensor and does nothing: what a storable must be able to visit.
struct tensor_visitor {
    template <class Scalar>
    void operator()(std::string_view, std::span<std::size_t const>, std::span<Scalar>) const {}
};

/// Refuses numbers that the format has no element type for with a sentence, and says whether it has one.
template <class Scalar>
constexpr bool require_element() {
    static_assert(tensor_element<Scalar>,
                  "sluice: a checkpoint holds float, double, half, bfloat16, std::int64_t, std::uint64_t, "
                  "and scalars that "
                  "have an element type of safetensors; give yours one, a sluice::dtype_entry of its size");
    return tensor_element<Scalar>;
}

inline constexpr char const* equations_key = "equations";

inline void store_equations(archive& destination, std::string const& key, std::string const& text) {
    auto const found = destination.metadata().find(key);
    if (found != destination.metadata().end() && found->second != text)
        throw checkpoint_errors::duplicate_key("metadata " + checkpoint_errors::shown(key) +
                                               " is there already, for an object of other equations; store "
                                               "each object under a prefix of its own.");
    destination.set_metadata(key, text);
}

/// A file without equations is another program's: the names and shapes of its tensors have to do.
inline void require_equations(archive const& source, std::string const& key, std::string const& text) {
    auto const found = source.metadata().find(key);
    if (found == source.metadata().end())
        return;
    std::istringstream in_file(found->second);
    std::istringstream in_object(text);
    for (std::size_t number = 1; in_file || in_object; ++number) {
        std::string theirs;
        std::string ours;
        std::getline(in_file, theirs);
        std::getline(in_object, ours);
        if (theirs == ours && !in_file == !in_object)
            continue;
        auto const words = [](auto const& lines, std::string const& line) {
            return lines ? checkpoint_errors::shown(line, 1000) : "missing";
        };
        throw checkpoint_errors::other_equations(
            source.subject() + "the equations are not those of the object: line " + std::to_string(number) +
            " is " + words(in_file, theirs) + " in the file, and " + words(in_object, ours) +
            " in the object. Load an object of the file's equations; if both mean the same, erase the "
            "metadata " +
            checkpoint_errors::shown(key) + " of an archive, and restore from that.");
    }
}

} // namespace detail

/// object.visit_tensors(f) calls f(name, shape, values) for each tensor, with std::span<Scalar const> values
/// on a const object and std::span<Scalar> on another one; both show the same tensors. The latter checks each
/// tensor before it shows the next one, and throws a sentence when it cannot take the values. A copy of the
/// object has tensors of its own.
template <class Object>
concept storable = requires(Object& object, Object const& constant, detail::tensor_visitor visitor) {
    object.visit_tensors(visitor);
    constant.visit_tensors(visitor);
};

/// What its tensors mean, one equation per line. It is stored as metadata and compared by a load.
template <class Object>
concept has_equations = requires(Object const& object) {
    { object.equations_text() } -> std::convertible_to<std::string>;
};

/// How objects are saved.
struct save_options {
    std::optional<dtype> weights{}; ///< bf16, f16 or i8; left out, as they are
};

namespace detail {

/// What can be weights that are narrowed and widened.
template <class Object, class Scalar>
inline constexpr bool are_weights = has_equations<Object> &&
                                    (std::is_same_v<Scalar, float> || std::is_same_v<Scalar, double>);

/// Throws `std::invalid_argument` where the weights of an object cannot be narrowed: it has others.
template <class Object>
void require_weights_of(save_options const& how) {
    if (!how.weights)
        return;
    require_narrow(*how.weights);
    if constexpr (has_equations<Object> && requires { typename Object::scalar_type; })
        if (!are_weights<Object, typename Object::scalar_type>)
            fail<std::invalid_argument>({"weights are narrowed of cells and stacks of float or double, but "
                                         "this one has another scalar, and keeps what it is; leave .weights "
                                         "out"});
}

} // namespace detail

/// Adds the tensors of an object to an archive. As I8 matrices are stored, and vectors stay as they are.
/// Throws `checkpoint_errors::bad_value` for a weight that is finite and too large for F16 or BF16,
/// `checkpoint_errors::duplicate_key` for a name that is there already, and `std::invalid_argument` for
/// another type of weights, or a cell of `half` or `bfloat16` whose weights are to be narrowed.
template <storable Object>
void store(archive& destination, Object const& object, std::string_view prefix = {},
           save_options const& how = {}) {
    detail::require_weights_of<Object>(how);
    object.visit_tensors([&](std::string_view name, std::span<std::size_t const> shape, auto values) {
        using scalar = std::remove_const_t<typename decltype(values)::element_type>;
        std::string called = std::string(prefix).append(name);
        if constexpr (detail::require_element<scalar>()) {
            if constexpr (detail::are_weights<Object, scalar>)
                if (how.weights && !shape.empty()) {
                    detail::add_narrow<scalar>(destination, std::move(called), shape, values, *how.weights);
                    return;
                }
            destination.add<scalar>(std::move(called), shape, values);
        }
    });
    if constexpr (has_equations<Object>)
        detail::store_equations(destination, std::string(prefix) + detail::equations_key,
                                object.equations_text());
}

/// A copy of the object with the values of the archive. Who restores several objects, all of them or none,
/// makes all copies before the first is moved into its object.
template <storable Object>
Object restored(archive const& source, Object const& object, std::string_view prefix = {}) {
    static_assert(std::copyable<Object>,
                  "sluice: an object is loaded by filling a copy of it and moving that "
                  "back; give its type copies and assignment");
    if constexpr (has_equations<Object>)
        detail::require_equations(source, std::string(prefix) + detail::equations_key,
                                  object.equations_text());
    Object copy = object;
    std::optional<std::string> tensor;
    try {
        copy.visit_tensors([&](std::string_view name, std::span<std::size_t const> shape, auto values) {
            using scalar = typename decltype(values)::element_type;
            if constexpr (detail::require_element<scalar>()) {
                tensor.emplace(prefix).append(name);
                if constexpr (detail::are_weights<Object, scalar>)
                    if (!shape.empty()) {
                        detail::copy_widened<scalar>(source, *tensor, shape, values);
                        return;
                    }
                source.copy<scalar>(*tensor, shape, values);
            }
        });
    } catch (checkpoint_error const&) {
        throw;
    } catch (std::bad_alloc const&) {
        throw;
    } catch (std::exception const& refusal) {
        if (!tensor) // the fault is the object's, not that of a value
            throw;
        std::string_view reason = refusal.what();
        if (constexpr std::string_view library = "sluice: "; reason.starts_with(library))
            reason.remove_prefix(library.size());
        throw checkpoint_errors::bad_value(source.subject() + "tensor " + checkpoint_errors::shown(*tensor) +
                                           " holds what cannot be taken: " + std::string(reason));
    }
    return copy;
}

/// All of the object's tensors, or, when one does not fit, none.
template <storable Object>
void restore(archive const& source, Object& object, std::string_view prefix = {}) {
    object = restored(source, object, prefix);
}

namespace detail {

/// The prefixes of one object after the other: their numbers, or nothing where there is only one.
class prefixes {
public:
    explicit prefixes(std::size_t objects) : objects_(objects) {}
    std::string next() { return objects_ == 1 ? "" : std::to_string(next_++) + "."; }

private:
    std::size_t objects_;
    std::size_t next_ = 0;
};

template <class... Objects>
void require_distinct(Objects const&... objects) {
    std::array<void const*, sizeof...(Objects)> const places{std::addressof(objects)...};
    for (std::size_t last = 1; last < places.size(); ++last)
        for (std::size_t first = 0; first < last; ++first)
            if (places[first] == places[last])
                throw std::invalid_argument("sluice: load expects different objects, but those numbered " +
                                            std::to_string(first) + " and " + std::to_string(last) +
                                            " are one; give each object once");
}

} // namespace detail

/// Throws as `store`, and `checkpoint_errors::file_unwritable`; no file has changed then.
template <storable... Objects>
    requires(sizeof...(Objects) > 0)
void save(std::filesystem::path const& path, save_options const& how, Objects const&... objects) {
    static_assert((has_equations<Objects> || ...),
                  "sluice: a save in fewer bits expects a cell or a stack, and none of these objects has "
                  "equations; give one, or leave .weights out");
    archive contents;
    detail::prefixes prefixes(sizeof...(Objects));
    (store(contents, objects, prefixes.next(), how), ...);
    safetensors::write(path, contents);
}
template <storable... Objects>
    requires(sizeof...(Objects) > 0)
void save(std::filesystem::path const& path, Objects const&... objects) {
    archive contents;
    detail::prefixes prefixes(sizeof...(Objects));
    (store(contents, objects, prefixes.next()), ...);
    safetensors::write(path, contents);
}

template <storable... Objects>
    requires(sizeof...(Objects) > 0)
void load(std::filesystem::path const& path, Objects&... objects) {
    detail::require_distinct(objects...);
    archive const contents = safetensors::read(path);
    detail::prefixes prefixes(sizeof...(Objects));
    std::tuple<Objects...> copies{restored(contents, objects, prefixes.next())...};
    std::apply([&](Objects&... copy) { ((objects = std::move(copy)), ...); }, copies);
}

} // namespace sluice
