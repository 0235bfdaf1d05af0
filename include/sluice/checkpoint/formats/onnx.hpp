// SPDX-License-Identifier: BSL-1.0
// The constants of an ONNX model, .onnx, read: its initialisers, under their names, and those of each GRU,
// LSTM and RNN once more under the name of the node and of the operator's input, as the conventions of
// layout/frameworks/onnx_weights.hpp call them:
//
//   encoder/W, encoder/R, encoder/B, encoder/P       of a node "encoder"; "node3" where it has no name
//
// An .onnx is a message of protobuf: fields, each with a number and a kind, of which some are messages again.
// Those that are read (onnx/onnx.proto):
//
//   ModelProto    7 graph
//   GraphProto    1 node, 5 initializer
//   NodeProto     1 input, 3 name, 4 op_type
//   TensorProto   1 dims, 2 data_type, 4 float_data, 5 int32_data, 7 int64_data, 8 name, 9 raw_data, 10
//                 double_data, 11 uint64_data, 14 data_location
//
// No length is believed that its message has no room for. What reading costs is bounded by budget.hpp; a
// constant that several nodes share is there once for each of them.
#pragma once

#include <sluice/checkpoint/archive.hpp>
#include <sluice/checkpoint/budget.hpp>
#include <sluice/checkpoint/input_file.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::onnx {
namespace detail {

/// How a field is written.
enum class wire { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

/// The fields of a message, one after the other.
class message {
public:
    message(std::span<std::byte const> whole, std::string const& file) : rest_(whole), file_(file) {}

    /// Goes on to the next field; false at the end.
    bool next() {
        if (rest_.empty())
            return false;
        std::uint64_t const key = varint();
        number = key >> 3;
        kind = static_cast<wire>(key & 7);
        switch (kind) {
        case wire::varint:
            value = varint();
            break;
        case wire::fixed64:
            bytes = take(8);
            break;
        case wire::fixed32:
            bytes = take(4);
            break;
        case wire::bytes:
            bytes = take(varint());
            break;
        default:
            throw damaged("a field of an unknown kind");
        }
        return true;
    }
    bool is(std::uint64_t wanted, wire how) const { return number == wanted && kind == how; }
    std::string_view text() const { return {reinterpret_cast<char const*>(bytes.data()), bytes.size()}; }
    std::string const& file() const { return file_; }

    /// f(number) for each of the numbers in the field, which may be packed.
    template <class F>
    void for_each_varint(F const& f) const {
        if (kind == wire::varint)
            return f(value);
        message packed(bytes, file_);
        while (!packed.rest_.empty())
            f(packed.varint());
    }

    checkpoint_errors::bad_entry damaged(std::string const& what) const {
        return checkpoint_errors::bad_entry(file_ + " is no .onnx, or damaged: it has " + what + ".");
    }

    std::uint64_t number = 0, value = 0;
    wire kind = wire::varint;
    std::span<std::byte const> bytes{};

private:
    std::span<std::byte const> rest_;
    std::string const& file_;

    std::span<std::byte const> take(std::uint64_t count) {
        if (count > rest_.size())
            throw damaged("a field of " + std::to_string(count) + " bytes, of which " +
                          std::to_string(rest_.size()) + " are there");
        auto const taken = rest_.first(static_cast<std::size_t>(count));
        rest_ = rest_.subspan(static_cast<std::size_t>(count));
        return taken;
    }
    std::uint64_t varint() {
        std::uint64_t found = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            auto const byte = std::to_integer<std::uint64_t>(take(1)[0]);
            found |= (byte & 0x7F) << shift;
            if (byte < 0x80)
                return found;
        }
        throw damaged("a number of more than 64 bits");
    }
};

struct type_row {
    std::uint64_t number; ///< TensorProto.DataType
    dtype type;
};
inline constexpr std::array types{
    type_row{1, dtype::f32},  type_row{2, dtype::u8},   type_row{3, dtype::i8},   type_row{4, dtype::u16},
    type_row{5, dtype::i16},  type_row{6, dtype::i32},  type_row{7, dtype::i64},  type_row{9, dtype::boolean},
    type_row{10, dtype::f16}, type_row{11, dtype::f64}, type_row{12, dtype::u32}, type_row{13, dtype::u64},
    type_row{14, dtype::c64}, type_row{16, dtype::bf16}};

/// The numbers of a tensor, field by field: raw(bytes) for those that are written as they are kept,
/// one(number) for those that are written one by one.
template <class Raw, class One>
void for_each_number(std::span<std::byte const> tensor, std::string const& file, Raw const& raw,
                     One const& one) {
    for (message field(tensor, file); field.next();) {
        bool const is_packed = field.kind == wire::bytes;
        if ((field.number == 9 || field.number == 4 || field.number == 10) &&
            is_packed) // raw_data, floats, doubles
            raw(field.bytes);
        else if (field.is(4, wire::fixed32) || field.is(10, wire::fixed64))
            raw(field.bytes);
        else if ((field.number == 5 || field.number == 7 || field.number == 11) &&
                 (is_packed || field.kind == wire::varint))
            field.for_each_varint(one);
    }
}

inline stored_tensor read_tensor(std::span<std::byte const> bytes, std::string const& file,
                                 checkpoint_budget& left) {
    using namespace checkpoint_errors;
    stored_tensor made;
    std::uint64_t type = 0;
    bool is_elsewhere = false;
    for (message field(bytes, file); field.next();) {
        if (field.number == 1 && (field.kind == wire::varint || field.kind == wire::bytes))
            field.for_each_varint([&](std::uint64_t extent) {
                if (made.shape.size() == most_axes)
                    throw too_many_axes(file + ": a tensor has more than " + std::to_string(most_axes) +
                                        " axes.");
                made.shape.push_back(static_cast<std::size_t>(extent));
            });
        else if (field.is(2, wire::varint))
            type = field.value;
        else if (field.is(8, wire::bytes))
            made.name = field.text();
        else if (field.is(14, wire::varint))
            is_elsewhere = field.value == 1;
    }
    std::string const whose = file + ": tensor " + shown(made.name);
    if (is_elsewhere)
        throw bad_entry(
            whose +
            " lies in another file; onnx.save_model(model, path, save_as_external_data=False) puts it "
            "into this one.");
    auto const row = std::ranges::find(types, type, &type_row::number);
    if (row == types.end())
        throw unknown_dtype(
            whose + " holds elements of the type " + std::to_string(type) +
            " of onnx; integers, booleans, floats of 2, 4 and 8 bytes and complex64 are read.");
    made.type = row->type;
    std::size_t const expected = byte_count(made.type, made.shape, whose);
    std::size_t const width = bits_of(made.type) / 8;
    std::size_t there = 0;
    for_each_number(
        bytes, file, [&](std::span<std::byte const> raw) { there += raw.size(); },
        [&](std::uint64_t) { there += width; });
    if (there != expected)
        throw size_mismatch(whose + " of " + name_of(made.type) + " " + shape_text(made.shape) + " needs " +
                            std::to_string(expected) + " bytes, and " + std::to_string(there) +
                            " are there.");
    constexpr std::string_view what = "the numbers of a tensor";
    constexpr std::uint64_t passes = 3;
    left.step(passes * bytes.size() + expected, what);
    sluice::detail::counted_bytes numbers(left, expected, what);
    std::byte* to = numbers.data();
    for_each_number(
        bytes, file, [&](std::span<std::byte const> raw) { to = std::copy(raw.begin(), raw.end(), to); },
        [&](std::uint64_t number) {
            for (std::size_t i = 0; i < width; ++i)
                *to++ = static_cast<std::byte>(number >> (8 * i) & 0xFF);
        });
    made.bytes = std::move(numbers).keep();
    return made;
}

/// A recurrent operator, and the names of its inputs.
struct recurrent_node {
    std::string_view name{}, type{};
    std::array<std::string_view, 8> inputs{};
};
/// What an input is called that is a weight.
inline constexpr std::array<std::string_view, 8> input_names{"", "W", "R", "B", "", "", "", "P"};

inline std::optional<recurrent_node> read_node(std::span<std::byte const> bytes, std::string const& file) {
    recurrent_node made;
    std::size_t inputs = 0;
    for (message field(bytes, file); field.next();)
        if (field.is(1, wire::bytes)) {
            if (inputs < made.inputs.size())
                made.inputs[inputs++] = field.text();
        } else if (field.is(3, wire::bytes))
            made.name = field.text();
        else if (field.is(4, wire::bytes))
            made.type = field.text();
    if (made.type != "GRU" && made.type != "LSTM" && made.type != "RNN")
        return std::nullopt;
    return made;
}

/// The weights of a recurrent operator once more, under its name; without one it has its number.
inline void add_weights(archive& to, recurrent_node const& node, std::size_t number,
                        checkpoint_budget& left) {
    std::string const name = node.name.empty() ? "node" + std::to_string(number) : std::string(node.name);
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (!input_names[i].empty() && to.contains(node.inputs[i])) {
            stored_tensor const& constant = to.tensor(node.inputs[i]);
            std::string called = name + "/" + std::string(input_names[i]);
            if (to.contains(called))
                continue;
            constexpr std::string_view what = "a constant that several nodes share";
            sluice::detail::counted_bytes numbers(left, constant.bytes, what);
            to.add({std::move(called), constant.type, constant.shape, std::move(numbers).keep()}, left);
        }
}

} // namespace detail

/// The constants in these bytes; `source` is what errors call them. Throws a `checkpoint_error` with a
/// sentence where they are no message of protobuf, a tensor breaks a rule of onnx.proto, or they cost more
/// than is left.
inline archive parse(std::span<std::byte const> bytes, std::string const& source, checkpoint_budget& left) {
    using namespace checkpoint_errors;
    using detail::message;
    using detail::wire;
    std::string const file = shown_path(source);
    archive made(source);
    bool has_graph = false;
    /// Calls f(field) for each field of that number, in every graph.
    auto const for_each_of_graph = [&](std::uint64_t wanted, auto const& f) {
        left.step(bytes.size(), "a graph");
        for (message model(bytes, file); model.next();)
            if (model.is(7, wire::bytes)) {
                has_graph = true;
                std::size_t number = 0;
                for (message graph(model.bytes, file); graph.next();)
                    if (graph.is(wanted, wire::bytes))
                        f(graph.bytes, number++);
            }
    };
    for_each_of_graph(5, [&](std::span<std::byte const> tensor, std::size_t) {
        made.add(detail::read_tensor(tensor, file, left), left);
    });
    if (!has_graph)
        throw header_start(file + " is no .onnx: it has no graph.");
    // the nodes stand before their constants
    for_each_of_graph(1, [&](std::span<std::byte const> bytes_of_node, std::size_t number) {
        left.step(bytes_of_node.size(), "a node");
        if (auto const node = detail::read_node(bytes_of_node, file))
            detail::add_weights(made, *node, number, left);
    });
    return made;
}
inline archive parse(std::span<std::byte const> bytes, std::string const& source = "memory") {
    checkpoint_budget left(bytes.size(), checkpoint_errors::shown_path(source));
    return parse(bytes, source, left);
}

inline archive read(std::filesystem::path const& path) {
    return parse(sluice::detail::input_file(path).all(), path.string());
}

} // namespace sluice::onnx
