// SPDX-License-Identifier: BSL-1.0
// Models of RTNeural (github.com/jatinchowdhury18/RTNeural): JSON, as its Python script writes it of a Keras
// Sequential, and as AIDA-X and others write it.
//
//   { "in_shape": [null, null, 1],
//     "layers": [ {"type": "gru", "activation": "", "shape": [null, null, 8],       gates z, r, h
//                  "weights": [[input, 3 units], [units, 3 units], [2, 3 units]]},
//                 {"type": "lstm", ...,                                              gates i, f, c, o
//                  "weights": [[input, 4 units], [units, 4 units], [4 units]]},
//                 {"type": "dense", "activation": "tanh", ..., "weights": [[input, units], [units]]},
//                 {"type": "activation", "activation": "relu", ...},
//                 {"type": "prelu", ..., "weights": [[a]]} ] }
//
//   GRU    z is our u, h our n; its gates have the sum of both biases, n has both (the cuDNN GRU)
//   LSTM   c is our j; the forget gate has no number beside its bias
//   dense  "time-distributed-dense" is the same; its activation is a layer of its own here
//
// Other layers, such as convolutions, are refused. What else the file says is passed over.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <sluice/checkpoint/error.hpp>
#include <sluice/checkpoint/input_file.hpp>
#include <sluice/model/described_model.hpp>
#include <sluice/model/json_tree.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

class rtneural_reader {
public:
    rtneural_reader(json_value const& root, std::string file) : root_(root), file_(std::move(file)) {}

    described_model read() {
        described_model found;
        found.source = "RTNeural, " + file_;
        found.numbers = {{"forget_bias", 0}};
        where_ = file_;
        width_ = last_of(member(root_, "in_shape"), "in_shape");
        json_value const& layers = member(root_, "layers");
        if (layers.is != json_value::kind::list || layers.items.empty())
            refuse("layers should be a list of one layer or more");
        bool is_first = true, has_lstm = false;
        for (std::size_t l = 0; l < layers.items.size(); ++l) {
            where_ = file_ + ": layer " + std::to_string(l);
            std::size_t const before = found.layers.size();
            add(layers.items[l], found);
            for (std::size_t k = before; k < found.layers.size(); ++k) {
                has_lstm = has_lstm || found.layers[k].layer.cell == "lstm";
                if (!std::exchange(is_first, false))
                    found.layers[k].layer.extents.input = 0;
            }
        }
        if (!has_lstm)
            found.numbers = {};
        return found;
    }

private:
    using rows = std::vector<double>;

    [[noreturn]] void refuse(std::string const& words) const {
        throw checkpoint_errors::bad_entry(where_ + ": " + words + ".");
    }
    json_value const& member(json_value const& of, std::string_view name) const {
        json_value const* const found = of.find(name);
        if (found == nullptr)
            throw checkpoint_errors::missing_field(where_ + " lacks the member '" + std::string(name) +
                                                   "', which a model of RTNeural has.");
        return *found;
    }
    /// A width: the last of [null, null, 8].
    std::size_t last_of(json_value const& shape, std::string_view what) const {
        double number = -1;
        if (shape.is == json_value::kind::list && !shape.numbers.empty())
            number = shape.numbers.back();
        else if (shape.is == json_value::kind::list && !shape.items.empty() &&
                 shape.items.back().is == json_value::kind::number)
            number = shape.items.back().number;
        constexpr double most = 1 << 20;
        if (!(number >= 1 && number <= most && number == std::floor(number)))
            refuse(std::string(what) + " should end with a width from 1 to 1048576");
        return static_cast<std::size_t>(number);
    }
    std::string text_of(json_value const& layer, std::string_view name) const {
        json_value const* const found = layer.find(name);
        return found == nullptr ? std::string() : found->text;
    }
    json_value const& weight(json_value const& layer, std::size_t k, std::size_t count) const {
        json_value const& all = member(layer, "weights");
        if (all.items.size() != count)
            refuse("weights should be a list of " + std::to_string(count) + " arrays, but has " +
                   std::to_string(all.size()));
        return all.items[k];
    }
    rows vector_of(json_value const& from, std::size_t count, std::string_view what) const {
        if (from.is != json_value::kind::list || from.numbers.size() != count || !from.items.empty())
            refuse(std::string(what) + " should be " + std::to_string(count) + " numbers");
        return from.numbers;
    }
    rows matrix_of(json_value const& from, std::size_t height, std::size_t width,
                   std::string_view what) const {
        if (from.is != json_value::kind::list || from.items.size() != height)
            refuse(std::string(what) + " should be [" + std::to_string(height) + ", " +
                   std::to_string(width) + "]");
        rows all;
        for (json_value const& row : from.items) {
            auto const numbers = vector_of(row, width, std::string(what) + ", each row,");
            all.insert(all.end(), numbers.begin(), numbers.end());
        }
        return all;
    }
    /// Columns of one gate of so many.
    static rows gate_of(rows const& all, std::size_t gate, std::size_t gates, std::size_t units) {
        rows found;
        for (std::size_t row = 0; row * gates * units < all.size(); ++row)
            for (std::size_t u = 0; u < units; ++u)
                found.push_back(all[(row * gates + gate) * units + u]);
        return found;
    }
    static rows sum_of(rows a, rows const& b) {
        for (std::size_t i = 0; i < a.size(); ++i)
            a[i] += b[i];
        return a;
    }

    void add(json_value const& layer, described_model& to) {
        std::string const type = text_of(layer, "type");
        std::size_t const units =
            type == "activation" || type == "prelu" ? width_ : last_of(member(layer, "shape"), "shape");
        described_layer made{.layer = {type, {.input = width_, .units = units}}};
        auto const put = [&](std::string called, rows values) {
            made.parameters.push_back({std::move(called), std::move(values)});
        };
        if (type == "lstm") {
            rows const w = matrix_of(weight(layer, 0, 3), width_, 4 * units, "the kernel");
            rows const r = matrix_of(weight(layer, 1, 3), units, 4 * units, "the recurrent kernel");
            rows const b = vector_of(weight(layer, 2, 3), 4 * units, "the bias");
            constexpr std::array ours{'i', 'f', 'j', 'o'};
            for (std::size_t g = 0; g < 4; ++g)
                for (auto const& [kind, all] :
                     {std::pair("W_", &w), std::pair("R_", &r), std::pair("b_", &b)})
                    put(std::string(kind) + ours[g], gate_of(*all, g, 4, units));
        } else if (type == "gru") {
            made.layer.cell = "cudnn_gru";
            rows const w = matrix_of(weight(layer, 0, 3), width_, 3 * units, "the kernel");
            rows const r = matrix_of(weight(layer, 1, 3), units, 3 * units, "the recurrent kernel");
            rows const b = matrix_of(weight(layer, 2, 3), 2, 3 * units, "the bias");
            rows const own(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(3 * units));
            rows const recurrent(b.begin() + static_cast<std::ptrdiff_t>(3 * units), b.end());
            constexpr std::array ours{'u', 'r', 'n'};
            for (std::size_t g = 0; g < 3; ++g) {
                put(std::string("W_") + ours[g], gate_of(w, g, 3, units));
                put(std::string("R_") + ours[g], gate_of(r, g, 3, units));
                rows const inside = gate_of(recurrent, g, 3, units);
                put(std::string("b_") + ours[g],
                    g < 2 ? sum_of(gate_of(own, g, 3, units), inside) : gate_of(own, g, 3, units));
                if (g == 2)
                    put("b_Rn", inside);
            }
        } else if (type == "dense" || type == "time-distributed-dense") {
            made.layer.cell = "dense";
            put("W_y", matrix_of(weight(layer, 0, 2), width_, units, "the kernel"));
            put("b_y", vector_of(weight(layer, 1, 2), units, "the bias"));
        } else if (type == "prelu") {
            made.layer.cell = "prelu_layer";
            put("p_a", slopes_of(layer));
        } else if (type == "activation")
            made.layer.cell = activation_of(text_of(layer, "activation"));
        else
            refuse("a layer of RTNeural's type " + checkpoint_errors::shown(type) +
                   " cannot be run; lstm, gru, dense, prelu and activation can");
        to.layers.push_back(std::move(made));
        width_ = units;
        std::string const after = text_of(layer, "activation");
        if (to.layers.back().layer.cell == "dense" && !after.empty() && after != "linear")
            to.layers.push_back({.layer = {activation_of(after), {.input = units, .units = units}}});
    }
    /// Of each feature, or one of all: [[a]], [[[a]]].
    rows slopes_of(json_value const& layer) const {
        json_value const* found = &weight(layer, 0, 1);
        while (found->items.size() == 1)
            found = &found->items[0];
        if (found->numbers.size() == 1)
            return rows(width_, found->numbers[0]);
        return vector_of(*found, width_, "the slopes of prelu");
    }
    std::string activation_of(std::string const& name) const {
        for (std::string_view const known : {"tanh", "sigmoid", "relu", "elu", "softmax"})
            if (name == known)
                return name + "_layer";
        refuse("the activation " + checkpoint_errors::shown(name) +
               " is not known; tanh, sigmoid, relu, elu and softmax are");
    }

    json_value const& root_;
    std::string file_, where_{};
    std::size_t width_ = 0;
};

} // namespace detail

/// Whether it is a model of RTNeural, and not another program's JSON.
inline bool is_rtneural(json_value const& root) {
    return root.find("in_shape") != nullptr && root.find("layers") != nullptr;
}

/// `file` is how errors call it. Throws checkpoint_error for a layer, a shape or an activation that is not
/// understood.
inline described_model describe_rtneural(json_value const& root, std::string const& file) {
    return detail::rtneural_reader(root, file).read();
}
/// Reads the file, of half a gigabyte at most, and throws what parse_json throws.
inline described_model read_rtneural(std::filesystem::path const& path) {
    std::string const file = checkpoint_errors::shown_path(path);
    detail::input_file source(path);
    constexpr std::uint64_t most = std::uint64_t(512) << 20;
    if (source.size() > most)
        throw checkpoint_errors::costs_too_much(file + " has " + std::to_string(source.size()) +
                                                " bytes; models of up to " + std::to_string(most) +
                                                " are read.");
    auto const bytes = source.all();
    std::string_view const text(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    return describe_rtneural(parse_json(text, file), file);
}

} // namespace sluice
