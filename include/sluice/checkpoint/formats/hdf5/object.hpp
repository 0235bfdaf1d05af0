// SPDX-License-Identifier: BSL-1.0
// Objects of an HDF5 file: groups and datasets are headers, which consist of messages.
//
// Source: HDF5 File Format Specification, version 3.0, The HDF Group, section IV.A.
#pragma once

#include <sluice/checkpoint/budget.hpp>
#include <sluice/checkpoint/byte_reader.hpp>
#include <sluice/checkpoint/claimed_bytes.hpp>
#include <sluice/checkpoint/formats/hdf5/checksum.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::hdf5::detail {

using sluice::detail::borrowed_memory;
using sluice::detail::byte_reader;

/// A file, which of its bytes have been read, and what reading may still cost.
struct input : byte_reader {
    input(std::span<std::byte const> bytes, std::string const& name, checkpoint_budget& budget)
        : byte_reader(bytes, name), left(budget), used(name, budget) {}

    checkpoint_budget& left;
    sluice::detail::claimed_bytes used;

    /// The bytes of a structure, which belong to no other one.
    std::span<std::byte const> claim(std::uint64_t at, std::uint64_t size, std::string_view what) {
        auto const found = bytes(at, size);
        used.claim(at, size, what);
        return found;
    }
};

/// An address that says that there is none.
inline constexpr std::uint64_t nowhere = 0xFFFF'FFFF'FFFF'FFFF;

enum class message_kind : std::uint16_t {
    dataspace = 0x01,
    link_info = 0x02,
    datatype = 0x03,
    fill_value = 0x05,
    link = 0x06,
    external_files = 0x07,
    layout = 0x08,
    group_info = 0x0A,
    filters = 0x0B,
    attribute = 0x0C,
    continuation = 0x10,
    symbol_table = 0x11
};

struct message {
    std::uint64_t at;
    std::uint16_t size;
    message_kind kind;
    bool is_shared; ///< what stands here is where the message is
};

inline checkpoint_errors::bad_entry damaged(byte_reader const& file, std::string const& what) {
    return checkpoint_errors::bad_entry(file.file() + " is damaged, or of a kind that is not read: " + what +
                                        ".");
}
inline bool has_mark(byte_reader const& file, std::uint64_t at, char const* mark) {
    return file.text(at, 4) == mark;
}

/// An object's messages of the kinds that are read, those of its continuations after the others.
class object_header {
public:
    object_header(input& file, std::uint64_t address) : file_(file), borrowed_(file.left) {
        if (file.number(address, 1) == 1)
            read_old(address);
        else if (has_mark(file, address, "OHDR"))
            read_new(address);
        else
            throw damaged(file, "no object is at " + std::to_string(address));
    }

    /// The first message of a kind, or null.
    message const* find(message_kind kind) const {
        for (message const& one : messages_)
            if (one.kind == kind)
                return &one;
        return nullptr;
    }
    std::vector<message> const& messages() const { return messages_; }

private:
    input& file_;
    borrowed_memory borrowed_;
    std::vector<message> messages_{};
    std::vector<std::pair<std::uint64_t, std::uint64_t>> parts_{}; ///< where messages lie: from, to

    /// The format before 1.8: messages of multiples of 8 bytes, each with a head of 8.
    void read_old(std::uint64_t address) {
        std::uint64_t count = file_.number(address + 2, 2);
        std::uint64_t const size = file_.number(address + 8, 4), head = 16;
        file_.claim(address, head + size, what);
        add_part(address + head, size);
        for (std::size_t part = 0; part < parts_.size(); ++part) {
            auto [at, end] = parts_[part];
            for (; at + 8 <= end && count > 0; --count) {
                message const one{at + 8, static_cast<std::uint16_t>(file_.number(at + 2, 2)),
                                  static_cast<message_kind>(file_.number(at, 2)),
                                  (file_.number(at + 4, 1) & 2) != 0};
                add(one, end);
                at += 8 + one.size;
                if (one.kind != message_kind::continuation)
                    continue;
                std::uint64_t const next = file_.number(one.at, 8), length = file_.number(one.at + 8, 8);
                file_.claim(next, length, what);
                add_part(next, length);
            }
        }
    }
    /// The format from 1.8 on: each part has a mark and a check sum.
    void read_new(std::uint64_t address) {
        std::uint64_t const flags = file_.number(address + 5, 1);
        std::size_t const width = std::size_t(1) << (flags & 3);
        std::uint64_t begin = address + 6 + ((flags & 0x20) != 0 ? 16 : 0) + ((flags & 0x10) != 0 ? 4 : 0);
        std::uint64_t const size = file_.number(begin, width);
        begin += width;
        claim_and_check(address, begin, size);
        add_part(begin, size);
        std::uint64_t const head = (flags & 4) != 0 ? 6 : 4;
        for (std::size_t part = 0; part < parts_.size(); ++part) {
            auto [at, end] = parts_[part];
            while (at + head <= end) {
                message const one{at + head, static_cast<std::uint16_t>(file_.number(at + 1, 2)),
                                  static_cast<message_kind>(file_.number(at, 1)),
                                  (file_.number(at + 3, 1) & 2) != 0};
                add(one, end);
                at += head + one.size;
                if (one.kind != message_kind::continuation)
                    continue;
                std::uint64_t const next = file_.number(one.at, 8), length = file_.number(one.at + 8, 8);
                constexpr std::uint64_t mark = 4, sum = 4;
                if (length < mark + sum || !has_mark(file_, next, "OCHK"))
                    throw damaged(file_, "the continuation of an object is not where it should be");
                claim_and_check(next, next + mark, length - mark - sum);
                add_part(next + mark, length - mark - sum);
            }
        }
    }
    static constexpr std::string_view what = "the header of an object";
    static constexpr std::uint64_t of_growth = 3;

    void add_part(std::uint64_t at, std::uint64_t size) {
        borrowed_.take(of_growth * sizeof(parts_[0]), what);
        parts_.emplace_back(at, at + size);
    }
    void add(message const& one, std::uint64_t end) {
        if (one.size > end - one.at)
            throw damaged(file_, "a message of an object is longer than its part of the file");
        switch (one.kind) {
        case message_kind::dataspace:
        case message_kind::link_info:
        case message_kind::datatype:
        case message_kind::link:
        case message_kind::external_files:
        case message_kind::layout:
        case message_kind::filters:
        case message_kind::attribute:
        case message_kind::symbol_table:
            borrowed_.take(of_growth * sizeof(one), what);
            messages_.push_back(one);
            break;
        default: // it is not read
            break;
        }
    }
    /// From the mark of a part to the check sum at its end.
    void claim_and_check(std::uint64_t address, std::uint64_t begin, std::uint64_t size) {
        constexpr std::uint64_t sum = 4;
        file_.bytes(begin, size);
        std::uint64_t const end = begin + size;
        file_.claim(address, end + sum - address, what);
        if (file_.number(end, 4) != lookup3(file_.bytes(address, end - address)))
            throw damaged(file_,
                          "the check sum of the object at " + std::to_string(address) + " is another one");
    }
};

inline std::string attribute_name(byte_reader const& file, message const& attribute) {
    std::uint64_t const before = file.number(attribute.at, 1) == 3 ? 9 : 8,
                        size = file.number(attribute.at + 2, 2);
    if (before + size > attribute.size)
        throw damaged(file, "the name of an attribute is longer than its message");
    std::string name = file.text(attribute.at + before, size);
    name.resize(std::min(name.find('\0'), name.size()));
    return name;
}

} // namespace sluice::hdf5::detail
