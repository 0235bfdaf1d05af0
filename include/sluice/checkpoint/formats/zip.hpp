// SPDX-License-Identifier: BSL-1.0
// Zip files, read and written in memory: .npz and .keras are such. Needs zlib.
//
//   local header, contents, local header, contents ...      the entries
//   central directory                                       where they are, and their sizes
//   [its end for files beyond 4 GB,] its end                where the central directory is
//
// Source: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 and 4.5.3. Entries are stored or deflated. The central
// directory is believed; local headers, sizes and check sums have to agree with it, and no two entries
// overlap. What reading costs is bounded by budget.hpp.
#pragma once

#include <sluice/checkpoint/budget.hpp>
#include <sluice/checkpoint/byte_reader.hpp>
#include <sluice/checkpoint/claimed_bytes.hpp>
#include <sluice/checkpoint/error.hpp>
#include <sluice/checkpoint/formats/inflate.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <zlib.h>

namespace sluice::zip {

/// An entry of the central directory.
struct entry {
    std::string name{};
    std::uint64_t flags = 0, method = 0, check = 0, packed = 0, size = 0, begin = 0;
};

namespace detail {

inline constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50,
                               large_end_mark = 0x06064b50, large_end_place_mark = 0x07064b50;
inline constexpr std::size_t local_size = 30, central_size = 46, end_size = 22, large_end_size = 56,
                             large_end_place_size = 20;
inline constexpr std::uint64_t elsewhere = 0xFFFFFFFF; ///< of a number that stands among the extra fields

struct directory_place {
    std::uint64_t begin = 0, entries = 0;
};

inline directory_place find_directory(sluice::detail::byte_reader const& file) {
    using namespace checkpoint_errors;
    constexpr std::uint64_t longest_comment = 65'535;
    std::uint64_t const least =
        file.size() < end_size + longest_comment ? 0 : file.size() - end_size - longest_comment;
    for (std::uint64_t at = file.size() < end_size ? 0 : file.size() - end_size + 1; at-- > least;) {
        if (file.number(at, 4) != end_mark || at + end_size + file.number(at + 20, 2) != file.size())
            continue;
        directory_place found{.begin = file.number(at + 16, 4), .entries = file.number(at + 10, 2)};
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
    throw header_start(file.file() + " is no zip file: it has no directory at its end.");
}

/// What stands among the extra fields, in their order, for numbers that have no room in an entry.
inline void read_large(sluice::detail::byte_reader const& file, std::uint64_t at, std::uint64_t length,
                       entry& to) {
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

inline std::vector<entry> read_directory(sluice::detail::byte_reader const& file,
                                         sluice::detail::claimed_bytes& used, checkpoint_budget& left) {
    using namespace checkpoint_errors;
    directory_place const where = find_directory(file);
    std::vector<entry> all;
    std::uint64_t at = where.begin;
    for (std::uint64_t i = 0; i < where.entries; ++i) {
        file.bytes(at, central_size);
        if (file.number(at, 4) != central_mark)
            throw bad_entry(file.file() + ": entry " + std::to_string(i) + " of the zip directory is none.");
        std::uint64_t const name = file.number(at + 28, 2), extra = file.number(at + 30, 2),
                            comment = file.number(at + 32, 2);
        constexpr std::uint64_t of_growth = 3, of_text = 32;
        left.take(of_growth * sizeof(entry) + name + of_text, "an entry of the zip directory");
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
        used.claim(at, central_size + name + extra + comment, "an entry of the zip directory");
        at += central_size + name + extra + comment;
    }
    return all;
}

/// The bytes of an entry as they lie in the file.
inline std::span<std::byte const> packed_bytes(sluice::detail::byte_reader const& file, entry const& of) {
    using namespace checkpoint_errors;
    file.bytes(of.begin, local_size);
    std::uint64_t const name = file.number(of.begin + 26, 2), extra = file.number(of.begin + 28, 2);
    if (file.number(of.begin, 4) != local_mark || file.text(of.begin + local_size, name) != of.name)
        throw bad_entry(file.file() + ": entry " + shown(of.name) + " is not where the zip directory says.");
    return file.bytes(of.begin + local_size + name + extra, of.packed);
}

inline sluice::detail::counted_bytes unpacked(sluice::detail::byte_reader const& file, entry const& of,
                                              checkpoint_budget& left) {
    using namespace checkpoint_errors;
    std::string const whose = file.file() + ": entry " + shown(of.name);
    if ((of.flags & 1) != 0)
        throw bad_entry(whose + " is encrypted; save the arrays without a password.");
    if (of.method != 0 && of.method != Z_DEFLATED)
        throw bad_entry(whose + " is packed by method " + std::to_string(of.method) +
                        " of zip; stored (0) and deflated (8) entries are read, as numpy writes them.");
    auto const packed = packed_bytes(file, of);
    if (of.method == 0 && of.size != of.packed)
        throw size_mismatch(whose + " claims " + std::to_string(of.size) + " bytes, which " +
                            std::to_string(of.packed) + " packed ones cannot give.");
    std::optional<sluice::detail::counted_bytes> bytes;
    if (of.method == 0)
        bytes.emplace(left, packed, "an entry of a zip file");
    else {
        left.expect_deflated(of.packed);
        bytes = sluice::detail::inflated(packed, of.size, sluice::detail::deflate_form::raw, left);
    }
    if (!bytes)
        throw bad_entry(whose + " is damaged: its packed bytes do not give the " + std::to_string(of.size) +
                        " that the zip directory says.");
    left.step(of.size, "an entry of a zip file");
    if (crc32_z(0, reinterpret_cast<Bytef const*>(bytes->data()), bytes->size()) != of.check)
        throw bad_entry(whose + " is damaged: its check sum is another one.");
    return std::move(*bytes);
}

} // namespace detail

/// Whether bytes begin as a zip file does.
inline bool is_zip(std::span<std::byte const> bytes) {
    return bytes.size() >= 4 && bytes[0] == std::byte{'P'} && bytes[1] == std::byte{'K'};
}

/// The entries of a zip file in memory. `file` is what errors call it, in quotes. Throws a `checkpoint_error`
/// with a sentence where the bytes break a rule of the format, or cost more than is left.
class reader {
public:
    reader(std::span<std::byte const> bytes, std::string const& file, checkpoint_budget& left)
        : bytes_(bytes, file), left_(left) {
        sluice::detail::claimed_bytes used(file, left);
        entries_ = detail::read_directory(bytes_, used, left);
        for (entry const& one : entries_) {
            auto const packed = detail::packed_bytes(bytes_, one);
            auto const end = static_cast<std::uint64_t>(packed.data() - bytes.data()) + packed.size();
            used.claim(one.begin, end - one.begin, "an entry of the zip file");
        }
    }

    std::vector<entry> const& entries() const { return entries_; }
    sluice::detail::counted_bytes unpacked(entry const& one) const {
        return detail::unpacked(bytes_, one, left_);
    }

private:
    sluice::detail::byte_reader bytes_;
    checkpoint_budget& left_;
    std::vector<entry> entries_{};
};

/// A zip file of stored entries. What would be beyond 65534 entries or 4 GB is refused with
/// `checkpoint_errors::size_overflow`.
class writer {
public:
    void add(std::string const& name, std::span<std::byte const> contents) {
        std::uint64_t const begin = bytes_.size();
        if (name.size() > 65'535 || count_ == 65'534 ||
            begin + contents.size() + name.size() + detail::local_size >= detail::elsewhere)
            throw too_large();
        auto const letters = std::as_bytes(std::span(name));
        put(bytes_, detail::local_mark, 4);
        put_entry(bytes_, name, contents);
        bytes_.insert(bytes_.end(), letters.begin(), letters.end());
        bytes_.insert(bytes_.end(), contents.begin(), contents.end());
        put(central_, detail::central_mark, 4);
        put(central_, version, 2);
        put_entry(central_, name, contents);
        put(central_, 0, 2 + 2 + 2 + 4); // no comment, one part, no attributes
        put(central_, begin, 4);
        central_.insert(central_.end(), letters.begin(), letters.end());
        ++count_;
    }
    /// The whole file.
    std::vector<std::byte> finish() && {
        std::uint64_t const begin = bytes_.size();
        if (begin + central_.size() >= detail::elsewhere)
            throw too_large();
        bytes_.insert(bytes_.end(), central_.begin(), central_.end());
        put(bytes_, detail::end_mark, 4);
        put(bytes_, 0, 2 + 2);
        put(bytes_, count_, 2);
        put(bytes_, count_, 2);
        put(bytes_, central_.size(), 4);
        put(bytes_, begin, 4);
        put(bytes_, 0, 2);
        return std::move(bytes_);
    }

private:
    std::vector<std::byte> bytes_{}, central_{};
    std::uint64_t count_ = 0;

    static constexpr std::uint64_t version = 20, names_are_utf8 = 0x800, stored = 0;
    /// 1980-01-01, 0:00, which is as much as to say that there is none.
    static constexpr std::uint64_t first_day = 0x0021'0000;

    static checkpoint_errors::size_overflow too_large() {
        return checkpoint_errors::size_overflow(
            "a zip file has at most 65534 entries and 4 GB here; write a safetensors file.");
    }
    static void put(std::vector<std::byte>& to, std::uint64_t number, std::size_t width) {
        for (std::size_t i = 0; i < width; ++i)
            to.push_back(static_cast<std::byte>(i < 8 ? number >> (8 * i) & 0xFF : 0));
    }
    /// What the local header and the central directory both say.
    static void put_entry(std::vector<std::byte>& to, std::string const& name,
                          std::span<std::byte const> contents) {
        put(to, version, 2);
        put(to, names_are_utf8, 2);
        put(to, stored, 2);
        put(to, first_day, 4);
        put(to, crc32_z(0, reinterpret_cast<Bytef const*>(contents.data()), contents.size()), 4);
        put(to, contents.size(), 4);
        put(to, contents.size(), 4);
        put(to, name.size(), 2);
        put(to, 0, 2); // no extra fields
    }
};

} // namespace sluice::zip
