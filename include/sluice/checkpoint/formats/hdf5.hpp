// SPDX-License-Identifier: BSL-1.0
// HDF5 files, .h5, read and written. Needs zlib: link sluice::deflate. An archive's names are the paths of
// datasets:
//
//   archive const a = hdf5::read("model.h5");
//   a.at<float>("encoder/kernel")
//
// What is read is what h5py writes by itself, and so Keras: superblocks of all versions, groups as symbol
// tables and as links, datasets in one piece and in chunks, deflated, shuffled and with check sums, of
// booleans, integers and floats of 2, 4 and 8 bytes in either order, and of bfloat16 as Keras stores it.
// Datasets of anything else, such as strings, are left out; one of several names is read under the first.
// Refused, with a sentence, are links to other places and files, datasets outside of the file or made of
// others, other filters, and the heaps of links and indexes of chunks that libver='latest' brings.
//
// Nothing is believed: no byte of the file is part of two structures, and what reading costs is bounded by
// budget.hpp.
#pragma once

#include <sluice/checkpoint/archive.hpp>
#include <sluice/checkpoint/budget.hpp>
#include <sluice/checkpoint/durable_file.hpp>
#include <sluice/checkpoint/formats/hdf5/dataset.hpp>
#include <sluice/checkpoint/formats/hdf5/group.hpp>
#include <sluice/checkpoint/formats/hdf5/writer.hpp>
#include <sluice/checkpoint/input_file.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::hdf5 {

/// What is in a file.
struct contents {
    archive datasets;
    std::map<std::string, std::set<std::string>>
        attributes{}; ///< their names, for each group; "" is the root
};

namespace detail {

class walker {
public:
    walker(std::span<std::byte const> bytes, std::string const& source, checkpoint_budget& left)
        : file_(bytes, checkpoint_errors::shown_path(source), left), groups_(file_), found_{archive(source)} {
    }

    contents read() {
        std::uint64_t const first = root();
        is_new(first);
        read_group(object_header(file_, first), "", 0);
        return std::move(found_);
    }

private:
    input file_;
    group_reader groups_;
    contents found_;
    std::set<std::uint64_t> seen_{}; ///< objects

    bool is_new(std::uint64_t object) {
        if (seen_.contains(object))
            return false;
        constexpr std::uint64_t of_node = 64;
        file_.left.take(of_node, "an object");
        return seen_.insert(object).second;
    }

    /// The address of the root group.
    std::uint64_t root() const {
        using namespace checkpoint_errors;
        if (file_.size() < signature.size() || file_.text(0, signature.size()) != signature)
            throw header_start(file_.file() + " is no HDF5 file: it does not begin with its signature.");
        std::uint64_t const version = file_.number(8, 1);
        bool const is_old = version < 2;
        if (version > 3)
            throw damaged(file_, "a superblock of version " + std::to_string(version));
        if (file_.number(is_old ? 13 : 9, 2) != 0x0808)
            throw damaged(file_, "addresses or lengths have other than 8 bytes");
        if (file_.number(is_old ? (version == 0 ? 24 : 28) : 12, 8) != 0)
            throw damaged(file_, "it does not begin at its base address");
        if (!is_old && file_.number(44, 4) != lookup3(file_.bytes(0, 44)))
            throw damaged(file_, "the check sum of its superblock is another one");
        return file_.number(is_old ? (version == 0 ? 64 : 68) : 36, 8);
    }

    void read_group(object_header const& group, std::string const& path, int depth) {
        using namespace checkpoint_errors;
        constexpr int deepest = 64;
        if (depth > deepest)
            throw damaged(file_, "groups lie in groups more than " + std::to_string(deepest) + " times");
        for (message const& one : group.messages())
            if (one.kind == message_kind::attribute)
                add_attribute(path, attribute_name(file_, one));
        borrowed_memory of_links(file_.left);
        for (link const& member : groups_.read(group, of_links)) {
            constexpr std::string_view what = "the path of an object";
            borrowed_memory of_path(file_.left);
            of_path.take(path.size() + member.name.size() + 1, what);
            file_.left.step(path.size() + member.name.size(), what);
            std::string name;
            name.reserve(path.size() + member.name.size() + 1);
            name.append(path).append(path.empty() ? "" : "/").append(member.name);
            if (!is_new(member.object))
                continue;
            object_header const object(file_, member.object);
            if (group_reader::is_group(object))
                read_group(object, name, depth + 1);
            else if (object.find(message_kind::layout) != nullptr)
                if (auto tensor = dataset_reader(file_, object, name).read())
                    found_.datasets.add(std::move(*tensor), file_.left);
        }
    }
    void add_attribute(std::string const& path, std::string name) {
        constexpr std::uint64_t of_group = 160, of_node = 96;
        auto group = found_.attributes.find(path);
        std::uint64_t const of_path = group == found_.attributes.end() ? of_group + path.size() : 0;
        file_.left.take(of_path + of_node + name.size(), "an attribute");
        found_.attributes[path].insert(std::move(name));
    }
};

} // namespace detail

/// What is in these bytes; `source` is what errors call them. Throws a `checkpoint_error` with a sentence
/// where they break a rule of the format, or cost more than is left.
inline contents parse_all(std::span<std::byte const> bytes, std::string const& source,
                          checkpoint_budget& left) {
    return detail::walker(bytes, source, left).read();
}
inline contents parse_all(std::span<std::byte const> bytes, std::string const& source = "memory") {
    checkpoint_budget left(bytes.size(), checkpoint_errors::shown_path(source));
    return parse_all(bytes, source, left);
}
inline archive parse(std::span<std::byte const> bytes, std::string const& source, checkpoint_budget& left) {
    return parse_all(bytes, source, left).datasets;
}
inline archive parse(std::span<std::byte const> bytes, std::string const& source = "memory") {
    return parse_all(bytes, source).datasets;
}

/// The tensors of an archive as datasets of the same names; a / in a name makes a group. Metadata is left
/// out. Throws `checkpoint_errors::unknown_dtype` for elements that HDF5 has no type for, and
/// `checkpoint_errors::reserved_name` where the names cannot be paths: parts that are empty or a dot, or one
/// tensor's name on the way to another's. `groups` are members of the root that are there even though nothing
/// lies in them.
inline std::vector<std::byte> serialise(archive const& from, std::span<std::string const> groups = {}) {
    return detail::file_writer().write(from, groups);
}

inline archive read(std::filesystem::path const& path) {
    return parse(sluice::detail::input_file(path).all(), path.string());
}
/// Replaces the file as a whole or not at all.
inline void write(std::filesystem::path const& path, archive const& from) {
    sluice::detail::replace_file(path, serialise(from));
}

} // namespace sluice::hdf5
