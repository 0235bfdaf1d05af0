// SPDX-License-Identifier: BSL-1.0
// Archives of numpy, .npz: zip files of .npy files, stored (numpy.savez) or deflated (savez_compressed), read and written.
// Needs zlib: link sluice::npz.
//
//   local header, NAME.npy, local header, NAME.npy ...      the entries
//   central directory                                       where they are, and their sizes
//   [its end for files beyond 4 GB,] its end                where the central directory is
//
// Source: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 and 4.5.3. The central directory is believed; local headers, sizes and
// check sums have to agree with it, and no two entries overlap, so that what is read is at most 1032 times the size of the
// file, which is the most that deflate makes of a byte. Memory: the file, all arrays, and the largest one once more.
#pragma once

#include <sluice/checkpoint/npy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <zlib.h>

namespace sluice::npz {
namespace detail {

inline constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50,
                               large_end_mark = 0x06064b50, large_end_place_mark = 0x07064b50;
inline constexpr std::size_t local_size = 30, central_size = 46, end_size = 22, large_end_size = 56,
                             large_end_place_size = 20;
inline constexpr std::uint64_t elsewhere = 0xFFFFFFFF; ///< of a number that stands among the extra fields
/// The most bytes that deflate makes of one.
inline constexpr std::uint64_t most_of_byte = 1032;

/// Little-endian numbers of a file, none of them behind its end.
class byte_reader {
public:
    byte_reader(std::span<std::byte const> bytes, std::string const& file) : bytes_(bytes), file_(file) {}

    std::uint64_t size() const { return bytes_.size(); }
    std::string const& file() const { return file_; }
    std::uint64_t number(std::uint64_t at, std::size_t width) const {
        std::uint64_t found = 0;
        auto const part = bytes(at, width);
        for (std::size_t i = width; i-- > 0;)
            found = found << 8 | std::to_integer<std::uint64_t>(part[i]);
        return found;
    }
    std::span<std::byte const> bytes(std::uint64_t at, std::uint64_t count) const {
        if (at > bytes_.size() || count > bytes_.size() - at)
            throw checkpoint_errors::data_truncated(
                file_ + " ends within what its directory says is there: " + std::to_string(count) +
                " bytes at " + std::to_string(at) + " of " + std::to_string(bytes_.size()) + ".");
        return bytes_.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(count));
    }
    std::string text(std::uint64_t at, std::uint64_t count) const {
        auto const part = bytes(at, count);
        return {reinterpret_cast<char const*>(part.data()), part.size()};
    }

private:
    std::span<std::byte const> bytes_;
    std::string const& file_;
};

struct entry {
    std::string name{};
    std::uint64_t flags = 0, method = 0, check = 0, packed = 0, size = 0, begin = 0;
};
struct directory {
    std::uint64_t begin = 0, entries = 0;
};

inline directory find_directory(byte_reader const& file) {
    using namespace checkpoint_errors;
    constexpr std::uint64_t longest_comment = 65'535;
    std::uint64_t const least =
        file.size() < end_size + longest_comment ? 0 : file.size() - end_size - longest_comment;
    for (std::uint64_t at = file.size() < end_size ? 0 : file.size() - end_size + 1; at-- > least;) {
        if (file.number(at, 4) != end_mark || at + end_size + file.number(at + 20, 2) != file.size())
            continue;
        directory found{.begin = file.number(at + 16, 4), .entries = file.number(at + 10, 2)};
        bool is_whole = file.number(at + 4, 2) == 0 && file.number(at + 6, 2) == 0;
        if (at >= large_end_place_size && file.number(at - large_end_place_size, 4) == large_end_place_mark) {
            std::uint64_t const large = file.number(at - large_end_place_size + 8, 8);
            file.bytes(large, large_end_size);
            if (file.number(large, 4) != large_end_mark)
                throw bad_entry(file.file() + ": the end of the zip directory is not where the file says.");
            found = {.begin = file.number(large + 48, 8), .entries = file.number(large + 32, 8)};
            is_whole = file.number(large + 16, 4) == 0 && file.number(large + 20, 4) == 0;
        }
        if (!is_whole)
            throw bad_entry(file.file() + " is one of several parts of a zip file; put them together.");
        return found;
    }
    throw header_start(file.file() + " is no zip file, as every .npz is: it has no directory at its end.");
}

/// What stands among the extra fields, in their order, for numbers that have no room in an entry.
inline void read_large(byte_reader const& file, std::uint64_t at, std::uint64_t length, entry& to) {
    std::uint64_t const end = at + length;
    while (at + 4 <= end) {
        std::uint64_t const kind = file.number(at, 2), size = file.number(at + 2, 2);
        at += 4;
        if (size > end - at)
            break;
        std::uint64_t place = at;
        for (std::uint64_t* const number : {&to.size, &to.packed, &to.begin})
            if (kind == 1 && *number == elsewhere && place + 8 <= at + size) {
                *number = file.number(place, 8);
                place += 8;
            }
        if (kind == 1)
            return;
        at += size;
    }
}

inline std::vector<entry> read_directory(byte_reader const& file) {
    using namespace checkpoint_errors;
    directory const where = find_directory(file);
    if (where.entries > file.size() / central_size)
        throw bad_entry(file.file() + ": the zip directory claims " + std::to_string(where.entries) +
                        " entries, more than the file has room for.");
    std::vector<entry> all;
    std::uint64_t at = where.begin;
    for (std::uint64_t i = 0; i < where.entries; ++i) {
        file.bytes(at, central_size);
        if (file.number(at, 4) != central_mark)
            throw bad_entry(file.file() + ": entry " + std::to_string(i) + " of the zip directory is none.");
        std::uint64_t const name = file.number(at + 28, 2), extra = file.number(at + 30, 2),
                            comment = file.number(at + 32, 2);
        entry made{.name = file.text(at + central_size, name),
                   .flags = file.number(at + 8, 2),
                   .method = file.number(at + 10, 2),
                   .check = file.number(at + 16, 4),
                   .packed = file.number(at + 20, 4),
                   .size = file.number(at + 24, 4),
                   .begin = file.number(at + 42, 4)};
        file.bytes(at + central_size, name + extra + comment);
        read_large(file, at + central_size + name, extra, made);
        all.push_back(std::move(made));
        at += central_size + name + extra + comment;
    }
    return all;
}

/// The bytes of an entry as they lie in the file, which no other entry has a part of.
inline std::span<std::byte const> packed_bytes(byte_reader const& file, entry const& of) {
    using namespace checkpoint_errors;
    file.bytes(of.begin, local_size);
    std::uint64_t const name = file.number(of.begin + 26, 2), extra = file.number(of.begin + 28, 2);
    if (file.number(of.begin, 4) != local_mark || file.text(of.begin + local_size, name) != of.name)
        throw bad_entry(file.file() + ": entry " + shown(of.name) + " is not where the zip directory says.");
    return file.bytes(of.begin + local_size + name + extra, of.packed);
}

inline std::vector<std::byte> unpacked(byte_reader const& file, entry const& of) {
    using namespace checkpoint_errors;
    std::string const whose = file.file() + ": entry " + shown(of.name);
    if ((of.flags & 1) != 0)
        throw bad_entry(whose + " is encrypted; save the arrays without a password.");
    if (of.method != 0 && of.method != Z_DEFLATED)
        throw bad_entry(whose + " is packed by method " + std::to_string(of.method) +
                        " of zip; stored (0) and deflated (8) entries are read, as numpy writes them.");
    auto const packed = packed_bytes(file, of);
    if (of.method == 0 ? of.size != of.packed : of.size / most_of_byte > of.packed)
        throw size_mismatch(whose + " claims " + std::to_string(of.size) + " bytes, which " +
                            std::to_string(of.packed) + " packed ones cannot give.");
    std::vector<std::byte> bytes(static_cast<std::size_t>(of.size));
    if (of.method == 0)
        std::ranges::copy(packed, bytes.begin());
    else {
        z_stream stream{};
        if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
            throw std::bad_alloc();
        std::uint64_t taken = 0, given = 0;
        int state = Z_OK;
        while (state == Z_OK) {
            constexpr std::uint64_t most = std::numeric_limits<uInt>::max();
            stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data())) + taken;
            stream.avail_in = static_cast<uInt>(std::min(most, of.packed - taken));
            stream.next_out = reinterpret_cast<Bytef*>(bytes.data()) + given;
            stream.avail_out = static_cast<uInt>(std::min(most, of.size - given));
            uInt const in = stream.avail_in, out = stream.avail_out;
            state = inflate(&stream, Z_NO_FLUSH);
            taken += in - stream.avail_in;
            given += out - stream.avail_out;
        }
        inflateEnd(&stream);
        if (state != Z_STREAM_END || taken != of.packed || given != of.size)
            throw bad_entry(whose + " is damaged: its packed bytes do not give the " +
                            std::to_string(of.size) + " that the zip directory says.");
    }
    if (crc32_z(0, reinterpret_cast<Bytef const*>(bytes.data()), bytes.size()) != of.check)
        throw bad_entry(whose + " is damaged: its check sum is another one.");
    return bytes;
}

inline void require_apart(byte_reader const& file, std::vector<entry> const& all) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
    for (entry const& one : all)
        places.emplace_back(one.begin,
                            one.begin + local_size + one.name.size() + packed_bytes(file, one).size());
    std::ranges::sort(places);
    for (std::size_t i = 1; i < places.size(); ++i)
        if (places[i].first < places[i - 1].second)
            throw checkpoint_errors::data_overlap(file.file() +
                                                  ": entries of the zip file lie on each other.");
}

inline constexpr std::string_view ending = ".npy";

} // namespace detail

/// Whether bytes begin as a zip file does.
inline bool is_zip(std::span<std::byte const> bytes) {
    return bytes.size() >= 4 && bytes[0] == std::byte{'P'} && bytes[1] == std::byte{'K'};
}

/// The arrays in these bytes, each by its name without the ending .npy; `source` is what errors call them. Throws a
/// `checkpoint_error` with a sentence where they break a rule of the formats.
inline archive parse(std::span<std::byte const> bytes, std::string const& source = "memory") {
    using namespace checkpoint_errors;
    std::string const shown_source = shown_path(source);
    detail::byte_reader const file(bytes, shown_source);
    auto const all = detail::read_directory(file);
    for (detail::entry const& one : all)
        if (one.name.ends_with("/data.pkl"))
            throw bad_entry(shown_source + " is a file of PyTorch, and a program to unpickle. In Python, "
                                           "`from safetensors.torch import save_file` and "
                                           "`save_file(torch.load(\"model.pt\", weights_only=True), "
                                           "\"model.safetensors\")` make one that can be read.");
    detail::require_apart(file, all);
    archive made(source);
    for (detail::entry const& one : all) {
        if (!one.name.ends_with(detail::ending))
            throw bad_entry(shown_source + ": entry " + shown(one.name) +
                            " is no .npy, of which an .npz consists.");
        made.add(npy::parse(detail::unpacked(file, one),
                            one.name.substr(0, one.name.size() - detail::ending.size()), shown_source));
    }
    return made;
}

/// The arrays of an archive as a zip file of stored entries, in their order; metadata has no place in it. Throws as
/// `npy::serialise`, and `checkpoint_errors::size_overflow` for more than 65534 arrays or 4 GB.
inline std::vector<std::byte> serialise(archive const& contents) {
    using namespace checkpoint_errors;
    std::vector<std::byte> bytes, central;
    auto const put = [](std::vector<std::byte>& to, std::uint64_t number, std::size_t width) {
        for (std::size_t i = 0; i < width; ++i)
            to.push_back(static_cast<std::byte>(i < 8 ? number >> (8 * i) & 0xFF : 0));
    };
    constexpr std::uint64_t first_day =
        0x0021'0000; // 1980-01-01, 0:00, which is as much as to say that there is none
    for (stored_tensor const& tensor : contents.tensors()) {
        std::string const name = tensor.name + std::string(detail::ending);
        auto const array = npy::serialise(tensor);
        std::uint64_t const begin = bytes.size();
        if (name.size() > 65'535 ||
            begin + array.size() + name.size() + detail::local_size >= detail::elsewhere ||
            contents.tensors().size() > 65'534)
            throw size_overflow(contents.subject() +
                                "an .npz has at most 65534 arrays and 4 GB here; write a "
                                "safetensors file.");
        std::uint64_t const check = crc32_z(0, reinterpret_cast<Bytef const*>(array.data()), array.size());
        auto const both = [&](std::vector<std::byte>& to) {
            put(to, 20, 2);    // the version that is needed: 2.0
            put(to, 0x800, 2); // names are UTF-8
            put(to, 0, 2);     // stored
            put(to, first_day, 4);
            put(to, check, 4);
            put(to, array.size(), 4);
            put(to, array.size(), 4);
            put(to, name.size(), 2);
            put(to, 0, 2); // no extra fields
        };
        auto const letters = std::as_bytes(std::span(name));
        put(bytes, detail::local_mark, 4);
        both(bytes);
        bytes.insert(bytes.end(), letters.begin(), letters.end());
        bytes.insert(bytes.end(), array.begin(), array.end());
        put(central, detail::central_mark, 4);
        put(central, 20, 2);
        both(central);
        put(central, 0, 2 + 2 + 2 + 4); // no comment, one part, no attributes
        put(central, begin, 4);
        central.insert(central.end(), letters.begin(), letters.end());
    }
    std::uint64_t const begin = bytes.size();
    if (begin + central.size() >= detail::elsewhere)
        throw size_overflow(contents.subject() + "an .npz has at most 4 GB here; write a safetensors file.");
    bytes.insert(bytes.end(), central.begin(), central.end());
    put(bytes, detail::end_mark, 4);
    put(bytes, 0, 2 + 2);
    put(bytes, contents.tensors().size(), 2);
    put(bytes, contents.tensors().size(), 2);
    put(bytes, central.size(), 4);
    put(bytes, begin, 4);
    put(bytes, 0, 2);
    return bytes;
}

inline archive read(std::filesystem::path const& path) {
    return parse(sluice::detail::input_file(path).all(), path.string());
}
/// Replaces the file as a whole or not at all.
inline void write(std::filesystem::path const& path, archive const& contents) {
    sluice::detail::replace_file(path, serialise(contents));
}

} // namespace sluice::npz
