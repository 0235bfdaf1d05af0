// SPDX-License-Identifier: BSL-1.0
// Where the parameters of a cell stand in the arrays of other frameworks. Each is a block of an array, or the
// sum of two, where a gate has two biases there and one here. The gradient of a block is that of the parameter.
//
//   PyTorch        weight_ih_l0, weight_hh_l0 [gates units, width], bias_ih_l0, bias_hh_l0 [gates units],
//                  weight_hr_l0 [projection, units]; the other direction's names end in _reverse.
//                  GRU: r z n, LSTM: i f g o
//   Keras          kernel, recurrent_kernel [width, gates units], bias [gates units], or [2, gates units] of a GRU
//                  with reset_after.  GRU: z r h, LSTM: i f c o
//   ONNX           W, R [directions, gates units, width], B [directions, 2 gates units],
//                  P [directions, 3 units].  GRU: z r h, LSTM: i o f c, P: i o f
//
// z is our u, which keeps the old state everywhere; h and n are our n; g and c are our j.
#pragma once

#include <map>
#include <optional>
#include <reference/recording.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace reference {

/// Block `number` of `count` equal ones of an array, as a matrix [in, out] or a vector.
struct block {
    std::string array{};
    std::size_t number = 0, count = 1;
    bool transposed = false;           ///< the array is [out, in], and its blocks lie one below the other
    std::optional<std::size_t> slab{}; ///< of an array with one more axis in front: the index there

    auto place() const { return std::tie(array, slab, number); }
};

/// The blocks of which each parameter is the sum, by its name.
using weights = std::map<std::string, std::vector<block>>;

/// The numbers of a block, row by row; `before` stands before the name of the array.
inline std::vector<double> values(recording const& from, block const& part, std::string const& before = "") {
    auto all = from.values(before + part.array);
    auto shape = from.shape(before + part.array);
    auto first = all.begin();
    if (part.slab) {
        auto const stride = all.size() / shape[0];
        first += static_cast<std::ptrdiff_t>(*part.slab * stride);
        shape.erase(shape.begin());
    }
    std::size_t const rows = shape.size() == 2 ? shape[0] : 1, columns = shape.back();
    std::size_t const outer = part.transposed ? columns : rows;
    std::size_t const inner = (part.transposed ? rows : columns) / part.count;
    std::vector<double> result;
    for (std::size_t i = 0; i < outer; ++i)
        for (std::size_t k = 0; k < inner; ++k) {
            std::size_t const along = part.number * inner + k;
            std::size_t const at = part.transposed ? along * columns + i : i * columns + along;
            result.push_back(first[static_cast<std::ptrdiff_t>(at)]);
        }
    return result;
}

using gates = std::vector<std::string>; ///< our names, in the order of a framework

/// A GRU that resets after the product has a bias inside it: the second of the candidate's biases.
inline void move_inside(weights& all) {
    all["b_Rn"] = {all.at("b_n").at(1)};
    all["b_n"].pop_back();
}

inline weights pytorch_weights(std::string const& cell, std::size_t layer, bool reverse) {
    gates const order = cell == "gru"              ? gates{"r", "u", "n"}
                        : cell.starts_with("lstm") ? gates{"i", "f", "j", "o"}
                                                   : gates{"h"};
    std::string const end = "_l" + std::to_string(layer) + (reverse ? "_reverse" : "");
    std::size_t const count = order.size();
    weights all;
    for (std::size_t k = 0; k < count; ++k) {
        all["W_" + order[k]] = {{"weight_ih" + end, k, count, true}};
        all["R_" + order[k]] = {{"weight_hh" + end, k, count, true}};
        all["b_" + order[k]] = {{"bias_ih" + end, k, count}, {"bias_hh" + end, k, count}};
    }
    if (cell == "gru")
        move_inside(all);
    if (cell == "lstm_projected")
        all["W_P"] = {{"weight_hr" + end, 0, 1, true}};
    return all;
}

/// `side` stands before the names of the arrays: a Bidirectional has a forward and a backward layer.
inline weights keras_weights(std::string const& cell, std::string const& side) {
    gates const order = cell == "lstm" ? gates{"i", "f", "j", "o"} : gates{"u", "r", "n"};
    std::size_t const count = order.size();
    weights all;
    for (std::size_t k = 0; k < count; ++k) {
        all["W_" + order[k]] = {{side + "kernel", k, count}};
        all["R_" + order[k]] = {{side + "recurrent_kernel", k, count}};
        all["b_" + order[k]] = {{side + "bias", k, count}};
        if (cell == "gru_reset_after")
            all["b_" + order[k]] = {{side + "bias", k, count, false, 0}, {side + "bias", k, count, false, 1}};
    }
    if (cell == "gru_reset_after")
        move_inside(all);
    return all;
}

inline weights onnx_weights(std::string const& cell, std::size_t direction) {
    gates const order = cell.starts_with("gru")    ? gates{"u", "r", "n"}
                        : cell.starts_with("lstm") ? gates{"i", "o", "f", "j"}
                                                   : gates{"h"};
    std::size_t const count = order.size();
    weights all;
    for (std::size_t k = 0; k < count; ++k) {
        all["W_" + order[k]] = {{"W", k, count, true, direction}};
        all["R_" + order[k]] = {{"R", k, count, true, direction}};
        all["b_" + order[k]] = {{"B", k, 2 * count, false, direction},
                                {"B", count + k, 2 * count, false, direction}};
    }
    if (cell == "gru_reset_after")
        move_inside(all);
    if (cell == "lstm_peephole")
        for (std::size_t k = 0; k < 3; ++k)
            all["p_" + gates{"i", "o", "f"}[k]] = {{"P", k, 3, false, direction}};
    return all;
}

/// The weights of every layer and direction, in the order layer * directions + direction.
inline std::vector<weights> weights_of(recording const& from) {
    std::string const& framework = from.fact("framework");
    std::string const& cell = from.fact("cell");
    auto const reversed = from.reversed();
    std::vector<weights> result;
    for (std::size_t layer = 0; layer < from.number("layers"); ++layer)
        for (std::size_t d = 0; d < reversed.size(); ++d)
            result.push_back(framework.starts_with("PyTorch") ? pytorch_weights(cell, layer, reversed[d])
                             : framework.starts_with("Keras")
                                 ? keras_weights(cell, reversed.size() == 1 ? ""
                                                       : reversed[d]        ? "backward_layer/"
                                                                            : "forward_layer/")
                                 : onnx_weights(cell, d));
    return result;
}

} // namespace reference
