// SPDX-License-Identifier: BSL-1.0
// An archive: named tensors in the order in which they were added, and a map of strings beside them.
// It holds the bytes as they are in the file, so NaN payloads and element types that the library does
// not compute with survive. Everything is checked when it is added; what is asked for must match.
//
//   archive a;
//   a.add<float>("W_r", shape, values);          // of a type that dtype.hpp has an entry for
//   std::vector<float> w = a.at<float>("W_r");   // any other element type is refused with a sentence
#pragma once

#include <sluice/checkpoint/budget.hpp>
#include <sluice/checkpoint/dtype.hpp>
#include <sluice/checkpoint/error.hpp>
#include <sluice/checkpoint/utf8.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

static_assert(std::endian::native == std::endian::little,
              "Checkpoints hold little-endian numbers, and this machine is not little-endian: archive.hpp "
              "would have to reverse the bytes of each element.");

/// The one name that safetensors keeps for itself.
inline constexpr std::string_view metadata_key = "__metadata__";

struct stored_tensor {
    std::string name;
    dtype type = dtype::f32;
    std::vector<std::size_t> shape;
    std::vector<std::byte> bytes; // C order, little-endian
};

class archive {
public:
    /// The source is the file that errors name; empty for an archive that was made in memory.
    explicit archive(std::string source = {}) : source_(std::move(source)) {}

    void add(stored_tensor tensor) {
        using namespace checkpoint_errors;
        std::string const whose = subject() + "tensor " + shown(tensor.name);
        if (tensor.name == metadata_key)
            throw reserved_name(whose + " cannot be stored: the format keeps that name for its metadata.");
        require_utf8(tensor.name, "the name of a tensor");
        if (contains(tensor.name))
            throw duplicate_key(whose + " is there already; each name can be stored once.");
        std::size_t const expected = byte_count(tensor.type, tensor.shape, whose);
        if (tensor.bytes.size() != expected)
            throw size_mismatch(whose + " of " + name_of(tensor.type) + " " + shape_text(tensor.shape) +
                                " needs " + std::to_string(expected) + " bytes, and " +
                                std::to_string(tensor.bytes.size()) + " were given.");
        tensors_.push_back(std::move(tensor));
        try {
            index_.emplace(tensors_.back().name, tensors_.size() - 1);
        } catch (...) {
            tensors_.pop_back();
            throw;
        }
    }

    /// A tensor of a file; what the archive needs for it, beside its numbers, is counted.
    void add(stored_tensor tensor, checkpoint_budget& left) {
        constexpr std::uint64_t of_growth = 3, of_node = 96, of_axis = 24, of_text = 32;
        left.take(of_growth * sizeof(stored_tensor) + of_node + of_axis * (tensor.shape.size() + 1) +
                      2 * (tensor.name.size() + of_text),
                  "a tensor");
        add(std::move(tensor));
    }

    template <tensor_element Scalar>
    void add(std::string name, std::span<std::size_t const> shape, std::span<Scalar const> values) {
        auto const bytes = std::as_bytes(values);
        add({std::move(name),
             dtype_of<Scalar>(),
             {shape.begin(), shape.end()},
             {bytes.begin(), bytes.end()}});
    }

    bool contains(std::string_view name) const { return index_.contains(name); }

    stored_tensor const& tensor(std::string_view name) const {
        auto const found = index_.find(name);
        if (found == index_.end())
            throw checkpoint_errors::tensor_missing(subject() + "there is no tensor " +
                                                    checkpoint_errors::shown(name) + "; " + inventory());
        return tensors_[found->second];
    }

    /// The tensor, once it is known to have this element type.
    template <tensor_element Scalar>
    stored_tensor const& tensor(std::string_view name) const {
        stored_tensor const& found = tensor(name);
        if (found.type != dtype_of<Scalar>())
            throw checkpoint_errors::wrong_dtype(subject() + "tensor " + checkpoint_errors::shown(name) +
                                                 " holds " + name_of(found.type) + " elements; " +
                                                 name_of(dtype_of<Scalar>()) + " was expected.");
        return found;
    }

    /// The tensor, once it is known to have this element type and shape.
    template <tensor_element Scalar>
    stored_tensor const& tensor(std::string_view name, std::span<std::size_t const> shape) const {
        stored_tensor const& found = tensor<Scalar>(name);
        require_shape(found, shape);
        return found;
    }

    template <tensor_element Scalar>
    std::vector<Scalar> at(std::string_view name) const {
        return values_of<Scalar>(tensor<Scalar>(name));
    }

    template <tensor_element Scalar>
    std::vector<Scalar> at(std::string_view name, std::span<std::size_t const> shape) const {
        return values_of<Scalar>(tensor<Scalar>(name, shape));
    }

    /// Into memory that the caller owns, which changes only when everything matches.
    template <tensor_element Scalar>
    void copy(std::string_view name, std::span<std::size_t const> shape, std::span<Scalar> values) const {
        stored_tensor const& found = tensor<Scalar>(name);
        require_place(found, shape, values.size());
        std::ranges::copy(found.bytes, std::as_writable_bytes(values).begin());
    }

    /// Throws unless a tensor has this shape, and so many elements.
    void require_place(stored_tensor const& found, std::span<std::size_t const> shape,
                       std::size_t room) const {
        require_shape(found, shape);
        if (std::size_t const count = found.bytes.size() * 8 / bits_of(found.type); room != count)
            throw checkpoint_errors::size_mismatch(
                subject() + "tensor " + checkpoint_errors::shown(found.name) + " has " +
                std::to_string(count) + " elements, and there is room for " + std::to_string(room) + ".");
    }

    std::vector<stored_tensor> const& tensors() const { return tensors_; }
    /// The tensors, for one that takes them out of an archive that is no longer needed.
    std::vector<stored_tensor> release() && { return std::move(tensors_); }

    void set_metadata(std::string key, std::string value) {
        require_utf8(key, "a metadata key");
        require_utf8(value, "a metadata value");
        metadata_.insert_or_assign(std::move(key), std::move(value));
    }

    void erase_metadata(std::string const& key) { metadata_.erase(key); }

    std::map<std::string, std::string> const& metadata() const { return metadata_; }

    /// How errors begin: with the file, where there is one.
    std::string subject() const {
        return source_.empty() ? "" : checkpoint_errors::shown_path(source_) + ": ";
    }

private:
    void require_shape(stored_tensor const& found, std::span<std::size_t const> shape) const {
        if (!std::ranges::equal(found.shape, shape))
            throw checkpoint_errors::wrong_shape(subject() + "tensor " +
                                                 checkpoint_errors::shown(found.name) + " has shape " +
                                                 checkpoint_errors::shape_text(found.shape) + "; " +
                                                 checkpoint_errors::shape_text(shape) + " was expected.");
    }

    template <tensor_element Scalar>
    static std::vector<Scalar> values_of(stored_tensor const& tensor) {
        std::vector<Scalar> values(tensor.bytes.size() / sizeof(Scalar));
        std::ranges::copy(tensor.bytes, std::as_writable_bytes(std::span(values)).begin());
        return values;
    }

    void require_utf8(std::string_view text, std::string const& what) const {
        if (!is_utf8(text))
            throw checkpoint_errors::not_utf8(subject() + what +
                                              " is not UTF-8, and a header holds nothing else.");
    }

    std::string inventory() const {
        constexpr std::size_t shown = 8;
        if (tensors_.empty())
            return "none is stored.";
        std::string text = "stored are ";
        for (std::size_t i = 0; i < std::min(shown, tensors_.size()); ++i)
            text += (i == 0 ? "" : ", ") + checkpoint_errors::shown(tensors_[i].name);
        if (tensors_.size() > shown)
            text += " and " + std::to_string(tensors_.size() - shown) + " more";
        return text + "; ask for one of these, or add what is missing to the archive.";
    }

    std::string source_;
    std::vector<stored_tensor> tensors_;
    std::map<std::string, std::size_t, std::less<>> index_;
    std::map<std::string, std::string> metadata_;
};

} // namespace sluice
