// SPDX-License-Identifier: BSL-1.0
// Groups of an HDF5 file: names, and the objects that they stand for.
//
//   before 1.8   a symbol table: a tree of nodes with entries, whose names lie in a heap
//   from 1.8 on  a message for each link; or a heap of links, when there are many, which is not read
//
// Source: HDF5 File Format Specification, version 3.0, sections III.A to III.D and IV.A.2.
#pragma once

#include <sluice/checkpoint/formats/hdf5/object.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::hdf5::detail {

struct link {
    std::string name;
    std::uint64_t object;
};

/// The links of a group, in the order of their names.
class group_reader {
public:
    explicit group_reader(input& file) : file_(file) {}

    static bool is_group(object_header const& object) {
        return object.find(message_kind::symbol_table) != nullptr ||
               object.find(message_kind::link_info) != nullptr || object.find(message_kind::link) != nullptr;
    }
    /// The memory of the links is borrowed from what is left.
    std::vector<link> read(object_header const& group, borrowed_memory& of_links) {
        links_.clear();
        of_links_ = &of_links;
        for (message const& one : group.messages())
            if (one.kind == message_kind::symbol_table)
                read_table(one);
            else if (one.kind == message_kind::link)
                read_link(one);
            else if (one.kind == message_kind::link_info)
                require_compact(one);
        std::ranges::sort(links_, {}, &link::name);
        return std::move(links_);
    }

private:
    input& file_;
    std::vector<link> links_{};
    borrowed_memory* of_links_ = nullptr;

    static checkpoint_errors::bad_entry elsewhere(byte_reader const& file, std::string const& name) {
        return checkpoint_errors::bad_entry(
            file.file() + ": " + checkpoint_errors::shown(name) +
            " is a link to another place or file, which is not followed; store what it links to.");
    }

    void add(std::string_view name, std::uint64_t object) {
        constexpr std::string_view what = "the names in a group";
        constexpr std::uint64_t of_growth = 3;
        of_links_->take(of_growth * sizeof(link) + name.size(), what);
        file_.left.step(name.size(), what);
        links_.push_back({std::string(name), object});
    }

    void read_table(message const& table) {
        std::uint64_t const heap = file_.number(table.at + 8, 8);
        if (!has_mark(file_, heap, "HEAP"))
            throw damaged(file_, "the names of a group are not where they should be");
        constexpr std::uint64_t size_of_heap = 32;
        file_.claim(heap, size_of_heap, "the names of a group");
        auto const names =
            file_.claim(file_.number(heap + 24, 8), file_.number(heap + 8, 8), "the names of a group");
        read_node(file_.number(table.at, 8), {reinterpret_cast<char const*>(names.data()), names.size()}, 0);
    }
    void read_node(std::uint64_t at, std::string_view names, std::uint64_t above) {
        if (!has_mark(file_, at, "TREE") || file_.number(at + 4, 1) != 0)
            throw damaged(file_, "a node of a group is not where it should be");
        std::uint64_t const level = file_.number(at + 5, 1), count = file_.number(at + 6, 2);
        if (above != 0 && level != above - 1)
            throw damaged(file_, "the nodes of a group are not a tree");
        file_.claim(at, 24 + 8 + 16 * count, "a node of a group");
        for (std::uint64_t i = 0; i < count; ++i) {
            std::uint64_t const child = file_.number(at + 24 + 8 + 16 * i, 8);
            if (level > 0)
                read_node(child, names, level);
            else
                read_entries(child, names);
        }
    }
    void read_entries(std::uint64_t at, std::string_view names) {
        if (!has_mark(file_, at, "SNOD"))
            throw damaged(file_, "the entries of a group are not where they should be");
        std::uint64_t const count = file_.number(at + 6, 2);
        file_.claim(at, 8 + 40 * count, "the entries of a group");
        for (std::uint64_t i = 0; i < count; ++i) {
            std::uint64_t const entry = at + 8 + 40 * i, offset = file_.number(entry, 8);
            if (offset >= names.size())
                throw damaged(file_, "a name of a group lies behind all of them");
            std::string_view const rest = names.substr(static_cast<std::size_t>(offset)),
                                   name = rest.substr(0, rest.find('\0'));
            constexpr std::uint64_t symbolic = 2;
            if (file_.number(entry + 16, 4) == symbolic)
                throw elsewhere(file_, std::string(name));
            add(name, file_.number(entry + 8, 8));
        }
    }

    void read_link(message const& one) {
        std::uint64_t const flags = file_.number(one.at + 1, 1);
        std::uint64_t at = one.at + 2;
        std::uint64_t const type = (flags & 8) != 0 ? file_.number(at++, 1) : 0;
        at += (flags & 4) != 0 ? 8 : 0;  // when it was made
        at += (flags & 16) != 0 ? 1 : 0; // its letters
        std::size_t const width = std::size_t(1) << (flags & 3);
        std::uint64_t const length = file_.number(at, width);
        at += width;
        std::uint64_t const end = one.at + one.size;
        if (at > end || length > end - at)
            throw damaged(file_, "the name of a link is longer than its message");
        std::string const name = file_.text(at, length);
        if (type != 0)
            throw elsewhere(file_, name);
        add(name, file_.number(at + length, 8));
    }
    void require_compact(message const& info) const {
        std::uint64_t const at = info.at + 2 + ((file_.number(info.at + 1, 1) & 1) != 0 ? 8 : 0);
        if (file_.number(at, 8) != nowhere)
            throw checkpoint_errors::bad_entry(
                file_.file() +
                " has a group whose links lie in a heap, as libver='latest' writes many of them; "
                "write it with libver='earliest', which is h5py's default.");
    }
};

} // namespace sluice::hdf5::detail
