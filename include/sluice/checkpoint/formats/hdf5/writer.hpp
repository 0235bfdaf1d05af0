// SPDX-License-Identifier: BSL-1.0
// HDF5 files, written: each dataset in one piece, each group with a message for each of its links, as the
// library writes them from 1.8 on.
//
//   superblock, numbers and header of each dataset, header of each group after those of its members
//
// Source: HDF5 File Format Specification, version 3.0, sections II.A and IV.A.
#pragma once

#include <sluice/checkpoint/archive.hpp>
#include <sluice/checkpoint/formats/hdf5/checksum.hpp>
#include <sluice/checkpoint/formats/hdf5/datatype.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::hdf5::detail {

inline constexpr std::string_view signature{"\x89HDF\r\n\x1A\n", 8};

class file_writer {
public:
    /// `groups` are there though nothing may lie in them, unless a tensor has the name of one.
    std::vector<std::byte> write(archive const& contents, std::span<std::string const> groups) {
        node root;
        for (std::string const& name : groups)
            if (!contents.contains(name))
                root.members.try_emplace(name, std::make_unique<node>());
        for (stored_tensor const& tensor : contents.tensors())
            place(root, tensor, contents.subject() + "tensor " + checkpoint_errors::shown(tensor.name));
        constexpr std::size_t size_of_superblock = 48;
        bytes_.resize(size_of_superblock);
        std::uint64_t const address = put_group(root);
        std::vector<std::byte> block;
        put_text(block, signature);
        for (unsigned const number : {2u, 8u, 8u, 0u}) // version, bytes of an address and of a length, flags
            put(block, number, 1);
        for (std::uint64_t const number : {std::uint64_t(0), nowhere, std::uint64_t(bytes_.size()), address})
            put(block, number, 8);
        put(block, lookup3(block), 4);
        std::copy(block.begin(), block.end(), bytes_.begin());
        return std::move(bytes_);
    }

private:
    /// A group, or a dataset.
    struct node {
        std::map<std::string, std::unique_ptr<node>, std::less<>> members{};
        stored_tensor const* tensor = nullptr;
    };
    std::vector<std::byte> bytes_{};

    static void put(std::vector<std::byte>& to, std::uint64_t number, std::size_t width) {
        for (std::size_t i = 0; i < width; ++i)
            to.push_back(static_cast<std::byte>(number >> (8 * i) & 0xFF));
    }
    static void put_text(std::vector<std::byte>& to, std::string_view text) {
        auto const letters = std::as_bytes(std::span(text));
        to.insert(to.end(), letters.begin(), letters.end());
    }

    static void place(node& root, stored_tensor const& tensor, std::string const& whose) {
        using namespace checkpoint_errors;
        node* at = &root;
        for (std::string_view rest = tensor.name;;) {
            std::size_t const end = rest.find('/');
            std::string_view const part = rest.substr(0, end);
            constexpr std::size_t longest = 60'000; // a message has at most 65535 bytes
            if (part.empty() || part == "." || part.find('\0') != part.npos || part.size() > longest)
                throw reserved_name(whose + " cannot be stored: its name is no path of HDF5, whose parts are "
                                            "neither empty nor a dot, nor longer than 60000 bytes.");
            auto const [found, is_new] = at->members.try_emplace(std::string(part));
            if (is_new)
                found->second = std::make_unique<node>();
            at = found->second.get();
            if (at->tensor != nullptr || (end == rest.npos && !is_new))
                throw reserved_name(whose +
                                    " cannot be stored: another tensor's name is on the way to its own.");
            if (end == rest.npos)
                break;
            rest.remove_prefix(end + 1);
        }
        at->tensor = &tensor;
        if (!datatype_message(tensor.type))
            throw unknown_dtype(whose + " holds " + name_of(tensor.type) +
                                " elements, which are not written to HDF5; integers and floats of 2, 4 and 8 "
                                "bytes are.");
        constexpr std::size_t most = 32;
        if (tensor.shape.size() > most)
            throw too_many_axes(whose + " has more than " + std::to_string(most) +
                                " axes, which HDF5 has at most.");
    }

    static void put_message(std::vector<std::byte>& to, message_kind kind,
                            std::vector<std::byte> const& contents) {
        put(to, static_cast<std::uint64_t>(kind), 1);
        put(to, contents.size(), 2);
        put(to, 0, 1);
        to.insert(to.end(), contents.begin(), contents.end());
    }
    /// Returns where it lies.
    std::uint64_t put_header(std::vector<std::byte> const& messages) {
        align();
        std::uint64_t const address = bytes_.size();
        put_text(bytes_, "OHDR");
        put(bytes_, 2, 1); // the version
        put(bytes_, 2, 1); // the size has 4 bytes
        put(bytes_, messages.size(), 4);
        bytes_.insert(bytes_.end(), messages.begin(), messages.end());
        put(bytes_, lookup3(std::span(bytes_).subspan(static_cast<std::size_t>(address))), 4);
        return address;
    }
    void align() { bytes_.resize((bytes_.size() + 7) / 8 * 8); }

    std::uint64_t put_group(node const& group) {
        std::vector<std::byte> messages, contents;
        put(contents, 0, 2);       // version, flags
        put(contents, nowhere, 8); // no heap of links
        put(contents, nowhere, 8);
        put_message(messages, message_kind::link_info, contents);
        put_message(messages, message_kind::group_info, std::vector<std::byte>(2));
        for (auto const& [name, member] : group.members) {
            std::uint64_t const address =
                member->tensor != nullptr ? put_dataset(*member->tensor) : put_group(*member);
            contents.clear();
            constexpr std::uint64_t has_letters = 0x10, two_bytes = 1, utf8 = 1;
            put(contents, 1, 1); // the version
            put(contents, has_letters | two_bytes, 1);
            put(contents, utf8, 1);
            put(contents, name.size(), 2);
            put_text(contents, name);
            put(contents, address, 8);
            put_message(messages, message_kind::link, contents);
        }
        return put_header(messages);
    }
    std::uint64_t put_dataset(stored_tensor const& tensor) {
        align();
        std::uint64_t const begin = tensor.bytes.empty() ? nowhere : bytes_.size();
        bytes_.insert(bytes_.end(), tensor.bytes.begin(), tensor.bytes.end());
        std::vector<std::byte> messages, contents;
        put(contents, 2, 1); // the version
        put(contents, tensor.shape.size(), 1);
        put(contents, 0, 1); // it cannot grow
        put(contents, tensor.shape.empty() ? 0 : 1, 1);
        for (std::size_t const extent : tensor.shape)
            put(contents, extent, 8);
        put_message(messages, message_kind::dataspace, contents);
        put_message(messages, message_kind::datatype, *datatype_message(tensor.type));
        contents.clear();
        put(contents, 3, 1);    // the version
        put(contents, 0x0A, 1); // memory late, and filled where a value was set, as none was
        put_message(messages, message_kind::fill_value, contents);
        contents.clear();
        put(contents, 3, 1); // the version
        put(contents, 1, 1); // in one piece
        put(contents, begin, 8);
        put(contents, tensor.bytes.size(), 8);
        put_message(messages, message_kind::layout, contents);
        return put_header(messages);
    }
};

} // namespace sluice::hdf5::detail
