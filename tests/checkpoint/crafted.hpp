// SPDX-License-Identifier: BSL-1.0
// Files that are made to cost much: each is small, and asks its reader for as much memory or as many steps as
// it can.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>
#include <zlib.h>

namespace crafted {

/// A little-endian number.
inline std::string number(std::uint64_t value, std::size_t width) {
    std::string text;
    for (std::size_t i = 0; i < width; ++i)
        text += static_cast<char>(i < 8 ? value >> (8 * i) & 0xFF : 0);
    return text;
}
inline void put(std::string& file, std::size_t at, std::uint64_t value, std::size_t width) {
    file.replace(at, width, number(value, width));
}

/// Deflated with zlib's header, as in HDF5, or without it, as in zip files.
inline std::string deflated(std::string text, bool has_header = true) {
    z_stream stream{};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, has_header ? MAX_WBITS : -MAX_WBITS, 9,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::runtime_error("deflate cannot start");
    std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(text.data());
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(static_cast<std::size_t>(stream.total_out));
    deflateEnd(&stream);
    return packed;
}

struct zip_entry {
    std::string name, contents;
    bool is_deflated = true;
};

inline std::string zip(std::vector<zip_entry> const& entries) {
    std::string file, directory;
    for (zip_entry const& one : entries) {
        std::string const packed = one.is_deflated ? deflated(one.contents, false) : one.contents;
        auto const check =
            crc32_z(0, reinterpret_cast<Bytef const*>(one.contents.data()), one.contents.size());
        std::string const both = number(20, 2) + number(0, 2) + number(one.is_deflated ? 8 : 0, 2) +
                                 number(0, 4) + number(check, 4) + number(packed.size(), 4) +
                                 number(one.contents.size(), 4) + number(one.name.size(), 2) + number(0, 2);
        directory += "PK\1\2" + number(20, 2) + both + number(0, 10) + number(file.size(), 4) + one.name;
        file += "PK\3\4" + both + one.name + packed;
    }
    std::size_t const begin = file.size();
    return file + directory + "PK\5\6" + number(0, 4) + number(entries.size(), 2) +
           number(entries.size(), 2) + number(directory.size(), 4) + number(begin, 4) + number(0, 2);
}

inline std::string npy(std::string const& descr, bool is_fortran, std::string const& shape,
                       std::string const& numbers) {
    std::string const header = "{'descr': '" + descr +
                               "', 'fortran_order': " + (is_fortran ? "True" : "False") + ", 'shape': (" +
                               shape + "), }\n";
    return std::string("\x93NUMPY\1\0", 8) + number(header.size(), 2) + header + numbers;
}

// HDF5: a superblock of the first version, and object headers of the first version, which have no check sums

enum kind : std::uint64_t {
    dataspace = 1,
    link_info = 2,
    datatype = 3,
    link = 6,
    layout = 8,
    filters = 11,
    attribute = 12,
    continuation = 16,
    symbol_table = 17
};
constexpr std::uint64_t nowhere = ~std::uint64_t(0);

inline std::string message(kind of, std::string const& contents) {
    return number(of, 2) + number(contents.size(), 2) + number(0, 4) + contents;
}
inline std::string link_to(std::string const& name, std::uint64_t object) {
    return message(link, number(1, 1) + number(1, 1) + number(name.size(), 2) + name + number(object, 8));
}
inline std::string attribute_called(std::string const& name) {
    return message(attribute, number(1, 2) + number(name.size(), 2) + number(0, 4) + name);
}
inline std::string no_heap() {
    return message(link_info, number(0, 2) + number(nowhere, 8) + number(nowhere, 8));
}

class h5 {
public:
    std::string bytes = "\x89HDF\r\n\x1A\n" + number(0, 5) + number(0x0808, 2) + number(0, 81);

    /// Returns where it lies.
    std::uint64_t add(std::string const& part) {
        bytes += part;
        return bytes.size() - part.size();
    }
    std::uint64_t add_object(std::string const& messages, std::uint64_t count = 65'535) {
        return add(number(1, 2) + number(count, 2) + number(1, 4) + number(messages.size(), 8) + messages);
    }
    std::string finish(std::uint64_t root) {
        put(bytes, 64, root, 8);
        return bytes;
    }
    /// A tree of one node, whose children belong to a group.
    std::uint64_t add_tree(std::vector<std::uint64_t> const& children) {
        std::string node = "TREE" + number(0, 2) + number(children.size(), 2) + number(nowhere, 8) +
                           number(nowhere, 8) + number(0, 8);
        for (std::uint64_t const child : children)
            node += number(child, 8) + number(0, 8);
        return add(node);
    }
    /// Names of a group; the segment follows the head.
    std::uint64_t add_heap(std::string const& names) {
        return add("HEAP" + number(0, 4) + number(names.size(), 8) + number(nowhere, 8) +
                   number(bytes.size() + 32, 8) + names);
    }
    /// Bytes without a sign, in chunks of one axis: one for each of the `packed`, chunk after chunk.
    std::uint64_t add_chunked(std::uint64_t count, std::uint64_t chunk, std::string const& filter_message,
                              std::vector<std::string> const& packed) {
        std::string node =
            "TREE" + number(1, 2) + number(packed.size(), 2) + number(nowhere, 8) + number(nowhere, 8);
        for (std::size_t i = 0; i < packed.size(); ++i)
            node += number(packed[i].size(), 4) + number(0, 4) + number(i * chunk, 8) + number(0, 8) +
                    number(add(packed[i]), 8);
        return add_dataset(count, chunk, filter_message, add(node + number(0, 24)));
    }
    std::uint64_t add_dataset(std::uint64_t count, std::uint64_t chunk, std::string const& filter_message,
                              std::uint64_t tree) {
        return add_object(shape_and_type(count) +
                          message(layout, number(3, 1) + number(2, 1) + number(2, 1) + number(tree, 8) +
                                              number(chunk, 4) + number(1, 4)) +
                          filter_message);
    }
    static std::string shape_and_type(std::uint64_t count) {
        return message(dataspace, number(1, 1) + number(1, 1) + number(0, 6) + number(count, 8)) +
               message(datatype, number(0x10, 1) + number(0, 3) + number(1, 4) + number(0, 2) + number(8, 2));
    }
    /// The filters of a pipeline, each with one parameter.
    static std::string pipeline(std::vector<std::uint64_t> const& kinds, std::uint64_t parameter = 4) {
        std::string all = number(2, 1) + number(kinds.size(), 1);
        for (std::uint64_t const one : kinds)
            all += number(one, 2) + number(0, 2) + number(1, 2) + number(parameter, 4);
        return message(filters, all);
    }
};

// protobuf

inline std::string varint(std::uint64_t value) {
    std::string text;
    for (; value > 127; value >>= 7)
        text += static_cast<char>((value & 0x7F) | 0x80);
    return text + static_cast<char>(value);
}
/// A field that is a message or bytes.
inline std::string field(unsigned which, std::string const& holds) {
    return varint(which << 3 | 2) + varint(holds.size()) + holds;
}
inline std::string field(unsigned which, std::uint64_t value) {
    return varint(which << 3) + varint(value);
}

inline std::string repeated(std::string const& text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i)
        all += text;
    return all;
}
/// A name of letters that no other number has.
inline std::string name_of(std::size_t value, std::size_t letters) {
    std::string text(letters, 'a');
    for (std::size_t i = letters; i-- > 0; value /= 26)
        text[i] = static_cast<char>('a' + value % 26);
    return text;
}

} // namespace crafted
