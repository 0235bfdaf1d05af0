// SPDX-License-Identifier: BSL-1.0
// Arrays of numpy, .npy (numpy.lib.format, versions 1 to 3), read and written:
//
//   6 bytes   \x93NUMPY
//   2 bytes   the version
//   2 bytes   N, the length of the header, little-endian; from version 2 on 4 bytes
//   N bytes   a dictionary of Python: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
//   the rest  the numbers
//
// Numbers of either byte order and arrays in Fortran's order are turned to C order, little-endian. Objects
// and records are refused. What reading costs is bounded by budget.hpp.
#pragma once

#include <sluice/checkpoint/archive.hpp>
#include <sluice/checkpoint/box.hpp>
#include <sluice/checkpoint/budget.hpp>
#include <sluice/checkpoint/durable_file.hpp>
#include <sluice/checkpoint/input_file.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::npy {

/// Longer headers are not read; those of numpy have a few hundred bytes.
inline constexpr std::size_t longest_header = 65'536;
inline constexpr std::string_view magic = "\x93NUMPY";

namespace detail {

/// Types of numpy without their byte order.
struct type_row {
    std::string_view called;
    dtype type;
    std::size_t part; ///< bytes that are turned together
};
inline constexpr std::array types{
    type_row{"b1", dtype::boolean, 1}, type_row{"i1", dtype::i8, 1},  type_row{"u1", dtype::u8, 1},
    type_row{"i2", dtype::i16, 2},     type_row{"u2", dtype::u16, 2}, type_row{"i4", dtype::i32, 4},
    type_row{"u4", dtype::u32, 4},     type_row{"i8", dtype::i64, 8}, type_row{"u8", dtype::u64, 8},
    type_row{"f2", dtype::f16, 2},     type_row{"f4", dtype::f32, 4}, type_row{"f8", dtype::f64, 8},
    type_row{"c8", dtype::c64, 4}};

struct header {
    type_row type = types[0];
    bool is_big_endian = false;
    bool is_fortran = false;
    std::vector<std::size_t> shape{};
};

/// Reads the dictionary.
class header_reader {
public:
    header_reader(std::string_view text, std::string const& whose) : rest_(text), whose_(whose) {}

    header read() {
        using namespace checkpoint_errors;
        std::optional<std::string_view> descr;
        std::optional<bool> fortran;
        std::optional<std::vector<std::size_t>> shape;
        require("{");
        while (!take("}")) {
            std::string_view const key = quoted("the name of a field");
            require(":");
            if (key == "descr" && !descr)
                descr = next() == '[' ? throw records() : quoted("the type of the elements");
            else if (key == "fortran_order" && !fortran)
                fortran = take("True") ? true : take("False") ? false : throw unexpected("True or False");
            else if (key == "shape" && !shape)
                shape = numbers();
            else
                throw bad_entry(
                    whose_ + ": the header has the field " + shown(key) +
                    " twice, or where there is no such field; descr, fortran_order and shape were "
                    "expected, each once.");
            if (!take(",") && next() != '}')
                throw unexpected("a comma or }");
        }
        next();
        if (!rest_.empty())
            throw unexpected("nothing behind }");
        if (!descr || !fortran || !shape)
            throw missing_field(whose_ + ": the header lacks descr, fortran_order or shape.");
        header made{.is_fortran = *fortran, .shape = std::move(*shape)};
        find_type(*descr, made);
        return made;
    }

private:
    std::string_view rest_;
    std::string const& whose_;

    char next() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n'))
            rest_.remove_prefix(1);
        return rest_.empty() ? '\0' : rest_.front();
    }
    bool take(std::string_view wanted) {
        next();
        bool const is_there = rest_.starts_with(wanted);
        if (is_there)
            rest_.remove_prefix(wanted.size());
        return is_there;
    }
    void require(std::string_view wanted) {
        if (!take(wanted))
            throw unexpected(std::string(wanted));
    }
    std::string_view quoted(std::string_view what) {
        char const quote = next();
        std::size_t const end = quote == '\'' || quote == '"' ? rest_.find(quote, 1) : rest_.npos;
        if (end == rest_.npos)
            throw unexpected(std::string(what) + " in quotes");
        std::string_view const text = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        return text;
    }
    std::vector<std::size_t> numbers() {
        using namespace checkpoint_errors;
        std::vector<std::size_t> found;
        require("(");
        while (!take(")")) {
            next();
            std::size_t number = 0;
            auto const [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
            if (error != std::errc())
                throw bad_number(whose_ +
                                 ": an extent of the shape is no whole number that fits into 64 bits.");
            rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
            take("L"); // Python 2
            if (found.size() == most_axes)
                throw too_many_axes(whose_ + " has more than " + std::to_string(most_axes) + " axes.");
            found.push_back(number);
            if (!take(",") && next() != ')')
                throw unexpected("a comma or )");
        }
        return found;
    }
    void find_type(std::string_view descr, header& to) const {
        using namespace checkpoint_errors;
        std::string_view const called = descr.substr(std::min<std::size_t>(1, descr.size()));
        bool const has_order = !descr.empty() && std::string_view("<>|=").find(descr.front()) != descr.npos;
        auto const found = std::ranges::find(types, called, &type_row::called);
        if (!has_order || found == types.end())
            throw unknown_dtype(
                whose_ + " holds elements of the type " + shown(descr) + "; " +
                (called == "O" || called.starts_with("O")
                     ? "objects of Python are pickled, and a pickle is a program. "
                       "Save numbers: numpy.save(path, array.astype('float32'))."
                     : "booleans, integers, floats of 2, 4 and 8 bytes and complex64 are read. "
                       "Save array.astype('float32')."));
        to.type = *found;
        to.is_big_endian = descr.front() == '>';
    }
    checkpoint_errors::bad_entry unexpected(std::string const& expected) const {
        using namespace checkpoint_errors;
        return bad_entry(whose_ + ": the header has " + (rest_.empty() ? "its end" : shown(rest_, 20)) +
                         " where " + expected + " was expected.");
    }
    checkpoint_errors::unknown_dtype records() const {
        return checkpoint_errors::unknown_dtype(whose_ +
                                                " holds records of several fields; save each as an array.");
    }
};

/// Writes the numbers of an array in Fortran's order in C order.
inline void put_in_c_order(std::span<std::byte const> from, std::span<std::size_t const> shape,
                           std::size_t element, std::byte* to) {
    std::vector<sluice::detail::box_axis> axes;
    std::size_t fortran = element, c = from.size();
    for (std::size_t const extent : shape) {
        c /= extent;
        axes.push_back({extent, fortran, c});
        fortran *= extent;
    }
    sluice::detail::copy_box(from.data(), to, std::move(axes), element);
}

} // namespace detail

/// Whether bytes begin as a .npy does.
inline bool is_npy(std::span<std::byte const> bytes) {
    return bytes.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), bytes.begin(),
                      [](char a, std::byte b) { return static_cast<std::byte>(a) == b; });
}

/// The array in these bytes, under this name; `file` is what errors call them. Throws a `checkpoint_error`
/// with a sentence where they break a rule of the format.
inline stored_tensor parse(std::span<std::byte const> bytes, std::string name, std::string const& file,
                           checkpoint_budget& left) {
    using namespace checkpoint_errors;
    std::string const whose = file + ": array " + shown(name);
    if (!is_npy(bytes))
        throw header_start(whose + " does not begin with \\x93NUMPY, as every .npy does.");
    auto const number = [&](std::size_t at) { return std::to_integer<std::size_t>(bytes[at]); };
    std::size_t const version = bytes.size() > 7 ? number(6) : 0;
    std::size_t const begin = version == 1 ? 10 : 12;
    if (bytes.size() < begin)
        throw file_too_short(whose + " has " + std::to_string(bytes.size()) +
                             " bytes; the header alone needs more.");
    if (version < 1 || version > 3)
        throw header_start(whose + " is of version " + std::to_string(version) +
                           " of .npy; 1, 2 and 3 are read.");
    std::size_t length = number(8) + (number(9) << 8);
    if (version > 1)
        length += (number(10) << 16) + (number(11) << 24);
    if (length > longest_header)
        throw header_too_long(whose + ": the header claims " + std::to_string(length) + " bytes; at most " +
                              std::to_string(longest_header) + " are accepted.");
    if (length > bytes.size() - begin)
        throw header_beyond_file(whose + ": the header claims " + std::to_string(length) +
                                 " bytes, and only " + std::to_string(bytes.size() - begin) + " are there.");
    std::string_view const text(reinterpret_cast<char const*>(bytes.data()) + begin, length);
    detail::header const head = detail::header_reader(text, whose).read();

    auto const data = bytes.subspan(begin + length);
    std::size_t const expected = byte_count(head.type.type, head.shape, whose);
    if (data.size() != expected)
        throw size_mismatch(whose + " of " + name_of(head.type.type) + " " + shape_text(head.shape) +
                            " needs " + std::to_string(expected) + " bytes, and " +
                            std::to_string(data.size()) + " are there.");
    constexpr std::string_view what = "the numbers of an array";
    using sluice::detail::counted_bytes;
    bool const is_turned = head.is_fortran && head.shape.size() > 1 && expected > 0;
    counted_bytes numbers = is_turned ? counted_bytes(left, expected, what) : counted_bytes(left, data, what);
    left.step(length + 2 * expected, what);
    if (is_turned)
        detail::put_in_c_order(data, head.shape, bits_of(head.type.type) / 8, numbers.data());
    for (std::size_t at = 0; head.is_big_endian && at < expected; at += head.type.part)
        std::reverse(numbers.data() + at, numbers.data() + at + head.type.part);
    return {std::move(name), head.type.type, head.shape, std::move(numbers).keep()};
}
inline stored_tensor parse(std::span<std::byte const> bytes, std::string name,
                           std::string const& file = "memory") {
    checkpoint_budget left(bytes.size(), file);
    return parse(bytes, std::move(name), file, left);
}

/// Throws `checkpoint_errors::unknown_dtype` for an element type that numpy does not have.
inline std::vector<std::byte> serialise(stored_tensor const& tensor) {
    using namespace checkpoint_errors;
    auto const row = std::ranges::find(detail::types, tensor.type, &detail::type_row::type);
    if (row == detail::types.end())
        throw unknown_dtype("tensor " + shown(tensor.name) + " holds " + name_of(tensor.type) +
                            " elements, which .npy does not have; convert it to float32.");
    std::string text = std::string("{'descr': '") + (bits_of(tensor.type) == 8 ? '|' : '<');
    text += std::string(row->called) + "', 'fortran_order': False, 'shape': (";
    for (std::size_t const extent : tensor.shape)
        text += std::to_string(extent) + ", ";
    if (tensor.shape.size() > 1)
        text.resize(text.size() - 2);
    else if (!tensor.shape.empty())
        text.pop_back();
    text += "), }";
    text.append(63 - (10 + text.size()) % 64, ' ');
    text += '\n';
    std::string const head = std::string(magic) + '\1' + '\0' + static_cast<char>(text.size() & 0xFF) +
                             static_cast<char>(text.size() >> 8) + text;
    auto const begin = std::as_bytes(std::span(head));
    std::vector<std::byte> bytes(begin.begin(), begin.end());
    bytes.insert(bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
    return bytes;
}

/// An archive of one tensor, which is called as the file without its ending.
inline archive read(std::filesystem::path const& path) {
    auto const bytes = sluice::detail::input_file(path).all();
    archive made(path.string());
    made.add(parse(bytes, path.stem().string(), checkpoint_errors::shown_path(path)));
    return made;
}
inline void write(std::filesystem::path const& path, stored_tensor const& tensor) {
    sluice::detail::replace_file(path, serialise(tensor));
}

} // namespace sluice::npy
