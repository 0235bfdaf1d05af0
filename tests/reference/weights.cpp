// SPDX-License-Identifier: BSL-1.0
#include <doctest/doctest.h>
#include <reference/weights.hpp>
#include <set>

namespace reference {

std::vector<double> values(recording const& from, block const& part, std::string const& before) {
    auto [shape, all] = from.tensors.at(before + part.array);
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

namespace {

using gates = std::vector<std::string>; ///< our names, in the order of a framework

/// A GRU that resets after the product has a bias inside it: the second of the candidate's biases.
void move_inside(weights& all) {
    all["b_Rn"] = {all.at("b_n").at(1)};
    all["b_n"].pop_back();
}

weights pytorch_weights(std::string const& cell, std::size_t layer, bool reverse) {
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
weights keras_weights(std::string const& cell, std::string const& side) {
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

weights onnx_weights(std::string const& cell, std::size_t direction) {
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

} // namespace

weights weights_of(recording const& from) {
    std::string const& cell = from.facts.at("cell");
    bool const both = from.directions() == 2;
    weights result;
    for (std::size_t layer = 0; layer < from.number("layers"); ++layer)
        for (std::size_t d = 0; d < from.directions(); ++d) {
            std::string const prefix = "layer" + std::to_string(layer) +
                                       (!both    ? "/"
                                        : d == 0 ? "/forward/"
                                                 : "/backward/");
            weights const one = from.says("framework", "PyTorch") ? pytorch_weights(cell, layer, d == 1)
                                : from.says("framework", "Keras")
                                    ? keras_weights(cell, !both    ? ""
                                                          : d == 0 ? "forward_layer/"
                                                                   : "backward_layer/")
                                    : onnx_weights(cell, d);
            for (auto const& [called, blocks] : one)
                result[prefix + called] = blocks;
        }
    return result;
}

void cover_all(recording const& from, weights const& all) {
    std::set<std::tuple<std::string, std::optional<std::size_t>, std::size_t>> places;
    std::set<std::string> arrays;
    std::size_t numbers = 0, expected = 0;
    for (auto const& [parameter, blocks] : all)
        for (block const& part : blocks) {
            CHECK(places.emplace(part.place()).second);
            arrays.insert(part.array);
            numbers += values(from, part).size();
        }
    for (std::string const& array : arrays)
        expected += from.values(array).size();
    CHECK(numbers == expected);
    for (auto const& [name, tensor] : from.tensors)
        if (!name.starts_with("gradient/"))
            CHECK((arrays.contains(name) || name == "x" || name == "outputs" || name.ends_with("_0") ||
                   name.ends_with("_n")));
}

} // namespace reference
