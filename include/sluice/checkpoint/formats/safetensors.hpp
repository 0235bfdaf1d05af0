// SPDX-License-Identifier: BSL-1.0
// safetensors files: read and written.
//   8 bytes   N, the length of the header, little-endian
//   N bytes   the header: JSON that starts with '{', padded with spaces to a multiple of 8
//   the rest  the tensors' bytes, without holes, each in C order, little-endian
// The reader follows every rule of the format (header.hpp has those of the JSON), and what it costs is
// bounded by budget.hpp. Any value is legal, NaN included. The writer orders tensors by element type, widest
// first, then by name, so that each is aligned, and replaces the file as a whole or not at all.
#pragma once

#include <sluice/checkpoint/archive.hpp>
#include <sluice/checkpoint/budget.hpp>
#include <sluice/checkpoint/durable_file.hpp>
#include <sluice/checkpoint/error.hpp>
#include <sluice/checkpoint/header.hpp>
#include <sluice/checkpoint/input_file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::safetensors {

namespace detail {

inline constexpr std::size_t length_bytes = 8;

/// The archive of a file of `size` bytes, of which `next(bytes)` delivers the following ones.
template <class Next>
archive read_from(Next&& next, std::uint64_t size, std::string const& source, checkpoint_budget& left) {
    using namespace checkpoint_errors;
    std::string const file = shown_path(source);
    if (size < length_bytes)
        throw file_too_short(file + " has " + std::to_string(size) +
                             " bytes; a safetensors file has at least " + std::to_string(length_bytes) + ".");
    std::uint64_t length = 0;
    next(std::as_writable_bytes(std::span(&length, 1)));
    if (length > longest_header)
        throw header_too_long(file + ": the header claims " + std::to_string(length) + " bytes; at most " +
                              std::to_string(longest_header) + " are accepted.");
    if (length > size - length_bytes)
        throw header_beyond_file(file + ": the header claims " + std::to_string(length) +
                                 " bytes, and the file has only " + std::to_string(size - length_bytes) +
                                 " after the length.");
    left.take(length, "the header");
    std::string text(static_cast<std::size_t>(length), '\0');
    next(std::as_writable_bytes(std::span(text)));
    header contents = read_header(text, size - length_bytes - length, file, left);

    archive result(source);
    while (!contents.metadata.empty()) {
        auto fact = contents.metadata.extract(contents.metadata.begin());
        result.set_metadata(std::move(fact.key()), std::move(fact.mapped()));
    }
    for (entry& e : contents.entries) {
        constexpr std::string_view what = "the numbers of a tensor";
        sluice::detail::counted_bytes numbers(left, e.end - e.begin, what);
        left.step(numbers.size(), what);
        next(std::span(numbers.data(), numbers.size()));
        result.add({std::move(e.name), e.type, std::move(e.shape), std::move(numbers).keep()}, left);
    }
    return result;
}

inline std::string json_text(std::string const& text) {
    return nlohmann::json(text).dump();
}

inline std::string header_text(std::vector<stored_tensor const*> const& tensors,
                               std::map<std::string, std::string> const& metadata) {
    std::string text = "{";
    auto const separate = [&] { text += text.back() == '{' ? "" : ","; };
    if (!metadata.empty()) {
        text += json_text(std::string(metadata_key)) + ":{";
        for (auto const& [key, value] : metadata) {
            separate();
            text += json_text(key) + ":" + json_text(value);
        }
        text += "}";
    }
    std::size_t begin = 0;
    for (stored_tensor const* tensor : tensors) {
        separate();
        std::size_t const end = begin + tensor->bytes.size();
        text += json_text(tensor->name) + R"(:{"dtype":")" + name_of(tensor->type) + R"(","shape":)" +
                nlohmann::json(tensor->shape).dump() + R"(,"data_offsets":[)" + std::to_string(begin) + "," +
                std::to_string(end) + "]}";
        begin = end;
    }
    text += "}";
    text.append((length_bytes - text.size() % length_bytes) % length_bytes, ' ');
    return text;
}

} // namespace detail

/// The archive in these bytes; `source` is what errors call them.
inline archive parse(std::span<std::byte const> bytes, std::string const& source, checkpoint_budget& left) {
    auto next = [rest = bytes](std::span<std::byte> destination) mutable {
        std::copy_n(rest.data(), destination.size(), destination.data());
        rest = rest.subspan(destination.size());
    };
    return detail::read_from(next, bytes.size(), source, left);
}
inline archive parse(std::span<std::byte const> bytes, std::string const& source = "memory") {
    checkpoint_budget left(bytes.size(), checkpoint_errors::shown_path(source));
    return parse(bytes, source, left);
}

/// The bytes of a file.
inline std::vector<std::byte> serialise(archive const& contents) {
    std::vector<stored_tensor const*> tensors;
    std::size_t data_size = 0;
    for (stored_tensor const& tensor : contents.tensors()) {
        tensors.push_back(&tensor);
        data_size += tensor.bytes.size();
    }
    std::ranges::sort(tensors, [](stored_tensor const* left, stored_tensor const* right) {
        return left->type != right->type ? left->type > right->type : left->name < right->name;
    });
    std::string const text = detail::header_text(tensors, contents.metadata());
    if (text.size() > longest_header)
        throw checkpoint_errors::header_too_long("The header would have " + std::to_string(text.size()) +
                                                 " bytes; at most " + std::to_string(longest_header) +
                                                 " are accepted. Store fewer tensors or less metadata.");
    std::uint64_t const length = text.size();
    std::vector<std::byte> bytes(detail::length_bytes + text.size() + data_size);
    auto append = [end = bytes.begin()](std::span<std::byte const> more) mutable {
        end = std::ranges::copy(more, end).out;
    };
    append(std::as_bytes(std::span(&length, 1)));
    append(std::as_bytes(std::span(text)));
    for (stored_tensor const* tensor : tensors)
        append(tensor->bytes);
    return bytes;
}

inline archive read(std::filesystem::path const& path) {
    sluice::detail::input_file file(path);
    checkpoint_budget left(file.size(), checkpoint_errors::shown_path(path));
    return detail::read_from(file, file.size(), path.string(), left);
}

/// Writes a file in one step: a reader finds the old file or the new one.
inline void write(std::filesystem::path const& path, archive const& contents) {
    sluice::detail::replace_file(path, serialise(contents));
}

} // namespace sluice::safetensors
