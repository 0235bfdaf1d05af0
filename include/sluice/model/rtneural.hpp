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
//                 {"type": "prelu", ..., "weights": [[a]]} ],
//     "in_skip": 1, "in_gain": -6, "out_gain": 3,      AIDA-X, g = 10^(gain / 20):
//     "samplerate": 48000 }                            y = g_out (net(g_in x, knobs) + g_in x)
//
// A gain is a dense layer here, and the sample rate may stand in "metadata" too.
//
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
#include <sluice/checkpoint/error.hpp>
#include <sluice/model/described_model.hpp>
#include <sluice/model/json_reader.hpp>
#include <sluice/model/json_tree.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

class rtneural_reader : json_reader {
public:
    rtneural_reader(json_value const& root, std::string file) : json_reader(root, std::move(file)) {}

    described_model read() {
        described_model found;
        found.source = "RTNeural, " + file_;
        width_ = last_of(member(root_, "in_shape"), "in_shape");
        std::size_t const inputs = width_;
        double const before = gain_of("in_gain"), after = gain_of("out_gain");
        found.adds_input = number_of(root_, "in_skip", 0) != 0 ? before * after : 0;
        json_value const* const more = root_.find("metadata");
        found.sample_rate = number_of(root_, "samplerate", more ? number_of(*more, "samplerate", 0) : 0);
        json_value const& layers = member(root_, "layers");
        if (layers.is != json_value::kind::list || layers.items.empty())
            refuse("layers should be a list of one layer or more");
        for (std::size_t l = 0; l < layers.items.size(); ++l) {
            at("layer " + std::to_string(l));
            add(layers.items[l], found);
        }
        if (before != 1)
            found.layers.insert(found.layers.begin(), gain(before, inputs, 1));
        if (after != 1)
            found.layers.push_back(gain(after, width_, width_));
        return found;
    }

private:
    /// A width: the last of [null, null, 8].
    std::size_t last_of(json_value const& shape, std::string_view what) const {
        double number = -1;
        if (shape.is == json_value::kind::list && !shape.numbers.empty())
            number = shape.numbers.back();
        else if (shape.is == json_value::kind::list && !shape.items.empty() &&
                 shape.items.back().is == json_value::kind::number)
            number = shape.items.back().number;
        return width_of(number, std::string(what) + ", its last number,");
    }
    /// From dB; silence below -90, as AIDA-X has it.
    double gain_of(std::string_view name) const {
        double const decibels = number_of(root_, name, 0);
        return decibels > -90 ? std::pow(10, decibels / 20) : 0;
    }
    /// The first features times a number, the others as they are.
    described_layer gain(double by, std::size_t width, std::size_t features) const {
        if (constexpr std::size_t most = 1024; width > most) // of which the file has no matrix
            refuse("gains are for at most " + std::to_string(most) + " inputs and outputs, but there are " +
                   std::to_string(width));
        rows all(width * width);
        for (std::size_t i = 0; i < width; ++i)
            all[i * width + i] = i < features ? by : 1;
        return {.layer = {"dense", {.input = width, .units = width}},
                .parameters = {{"W_y", all}, {"b_y", rows(width)}}};
    }
    json_value const& weight(json_value const& layer, std::size_t k, std::size_t count) const {
        json_value const& all = member(layer, "weights");
        if (all.items.size() != count)
            refuse("weights should be a list of " + std::to_string(count) + " arrays, but has " +
                   std::to_string(all.size()));
        return all.items[k];
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
            to.numbers = {{"forget_bias", 0}};
            rows const w = matrix_of(weight(layer, 0, 3), width_, 4 * units, "the kernel");
            rows const r = matrix_of(weight(layer, 1, 3), units, 4 * units, "the recurrent kernel");
            rows const b = vector_of(weight(layer, 2, 3), 4 * units, "the bias");
            constexpr std::array ours{'i', 'f', 'j', 'o'};
            for (std::size_t g = 0; g < 4; ++g)
                for (auto const& [kind, all] :
                     {std::pair("W_", &w), std::pair("R_", &r), std::pair("b_", &b)})
                    put(std::string(kind) + ours[g], columns_of_gate(*all, g, 4, units));
        } else if (type == "gru") {
            made.layer.cell = "cudnn_gru";
            rows const w = matrix_of(weight(layer, 0, 3), width_, 3 * units, "the kernel");
            rows const r = matrix_of(weight(layer, 1, 3), units, 3 * units, "the recurrent kernel");
            rows const b = matrix_of(weight(layer, 2, 3), 2, 3 * units, "the bias");
            rows const own(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(3 * units));
            rows const recurrent(b.begin() + static_cast<std::ptrdiff_t>(3 * units), b.end());
            constexpr std::array ours{'u', 'r', 'n'};
            for (std::size_t g = 0; g < 3; ++g) {
                put(std::string("W_") + ours[g], columns_of_gate(w, g, 3, units));
                put(std::string("R_") + ours[g], columns_of_gate(r, g, 3, units));
                rows const inside = columns_of_gate(recurrent, g, 3, units);
                put(std::string("b_") + ours[g], g < 2 ? sum_of(columns_of_gate(own, g, 3, units), inside)
                                                       : columns_of_gate(own, g, 3, units));
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

} // namespace sluice
