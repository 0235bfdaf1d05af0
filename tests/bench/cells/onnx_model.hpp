// SPDX-License-Identifier: BSL-1.0
// A GRU or an LSTM as the bytes of an ONNX model of one node (onnx.proto, operators of set 14), written field
// by field: inputs X [steps, batch, input], H and C [1, batch, units]; outputs Y [steps, 1, batch, units], HE
// and CE.
#pragma once

#include "peers.hpp"
#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

/// A message of protocol buffers: fields by their numbers.
class message {
public:
    message& number(unsigned field, std::uint64_t value) {
        varint(field << 3);
        varint(value);
        return *this;
    }
    message& text(unsigned field, std::string_view value) {
        varint(field << 3 | 2);
        varint(value.size());
        bytes_ += value;
        return *this;
    }
    message& part(unsigned field, message const& value) { return text(field, value.bytes_); }
    std::string const& bytes() const { return bytes_; }

private:
    std::string bytes_{};

    void varint(std::uint64_t value) {
        for (; value > 127; value >>= 7)
            bytes_ += static_cast<char>((value & 127) | 128);
        bytes_ += static_cast<char>(value);
    }
};

/// [1, rows, columns] of gates in ONNX's order as rows, from [columns, gates units] of ours.
inline std::vector<float> gates_as_rows(std::vector<float> const& from, std::size_t columns,
                                        std::size_t units, std::vector<std::size_t> const& order) {
    std::vector<float> all;
    for (std::size_t const gate : order)
        for (std::size_t u = 0; u < units; ++u)
            for (std::size_t k = 0; k < columns; ++k)
                all.push_back(from[(k * order.size() + gate) * units + u]);
    return all;
}

inline std::string onnx_model(cell_numbers const& n, sequence const& over) {
    bool const is_lstm = n.kind == cell_kind::lstm;
    // Ours: reset, update, candidate; input, forget, candidate, output. ONNX's: z r h; i o f c.
    std::vector<std::size_t> const order =
        is_lstm ? std::vector<std::size_t>{0, 3, 1, 2} : std::vector<std::size_t>{1, 0, 2};
    std::vector<float> b = gates_as_rows(n.b, 1, n.units, order);
    b.resize(2 * b.size());
    if (n.kind == cell_kind::cudnn_gru)
        std::copy(n.b_recurrent.begin(), n.b_recurrent.end(), b.end() - static_cast<std::ptrdiff_t>(n.units));

    std::size_t const rows = n.gates() * n.units;
    auto const tensor = [](char const* called, std::vector<std::size_t> const& dims,
                           std::vector<float> const& values) {
        message m;
        for (std::size_t const dim : dims)
            m.number(1, dim);
        return m.number(2, 1).text(8, called).text(
            9, {reinterpret_cast<char const*>(values.data()), values.size() * sizeof(float)});
    };
    auto const value = [](char const* called, std::vector<std::size_t> const& dims) {
        message shape;
        for (std::size_t const dim : dims)
            shape.part(1, message().number(1, dim));
        return message().text(1, called).part(2, message().part(1, message().number(1, 1).part(2, shape)));
    };
    auto const integer = [](char const* called, std::size_t i) {
        return message().text(1, called).number(3, i).number(20, 2);
    };
    message node;
    for (char const* const input : {"X", "W", "R", "B", "", "H"})
        node.text(1, input);
    if (is_lstm)
        node.text(1, "C");
    node.text(2, "Y").text(2, "HE");
    if (is_lstm)
        node.text(2, "CE");
    node.text(4, is_lstm ? "LSTM" : "GRU").part(5, integer("hidden_size", n.units));
    if (!is_lstm)
        node.part(5, integer("linear_before_reset", n.kind == cell_kind::cudnn_gru));

    message graph;
    graph.part(1, node).text(2, "cell");
    graph.part(5, tensor("W", {1, rows, n.input}, gates_as_rows(n.w, n.input, n.units, order)));
    graph.part(5, tensor("R", {1, rows, n.units}, gates_as_rows(n.r, n.units, n.units, order)));
    graph.part(5, tensor("B", {1, 2 * rows}, b));
    graph.part(11, value("X", {over.steps, over.batch, n.input}))
        .part(11, value("H", {1, over.batch, n.units}));
    graph.part(12, value("Y", {over.steps, 1, over.batch, n.units}));
    graph.part(12, value("HE", {1, over.batch, n.units}));
    if (is_lstm)
        graph.part(11, value("C", {1, over.batch, n.units})).part(12, value("CE", {1, over.batch, n.units}));
    return message().number(1, 8).part(7, graph).part(8, message().number(2, 14)).bytes();
}

} // namespace bench
