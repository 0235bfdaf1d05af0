// SPDX-License-Identifier: BSL-1.0
// A described model as RTNeural's JSON, the inverse of model/rtneural.hpp, which has its format:
//
//   sluice::write_rtneural("amp.json", described);         // sluice::read_model("amp.json") is the same net
//
//   lstm        gates i, f, c, o; the forget bias, a setting of our page, is added to b_f
//   cudnn_gru   gates z, r, h; the first of the two rows of biases has ours of z and r, the second zeros
//   dense, tanh_layer, sigmoid_layer, relu_layer, elu_layer, softmax_layer, prelu_layer
//
// With a forget bias of 0, and parameters that were floats, what is read back has the same bits.
#pragma once

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <sluice/checkpoint/durable_file.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/model/described_model.hpp>
#include <sluice/model/json_writer.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {
namespace detail {

class rtneural_writer : json_writer {
    using rows = std::vector<double>;

public:
    explicit rtneural_writer(described_model const& from) : from_(from) {}

    std::string text() {
        if (from_.layers.empty())
            refuse({"a model for RTNeural has at least one layer, but this one has none"});
        if (!from_.starts.empty())
            refuse({"a model for RTNeural starts at zeros, but ", from_.starts[0].called,
                    " of this one does not; leave its start out"});
        forget_bias_ = 1; // of our page
        for (auto const& [name, value] : from_.numbers.given)
            if (name == "forget_bias")
                forget_bias_ = value;
            else
                refuse({"a model for RTNeural has no setting but forget_bias, but got ", name});
        width_ = from_.layers[0].layer.extents.input;
        if (width_ == 0)
            refuse({"the first layer of a model says how wide its input is, but this one does not"});
        append({"{\"in_shape\": [null, null, ", width_, "],"}, text_);
        if (from_.adds_input != 0 && from_.adds_input != 1)
            refuse({"a model for RTNeural adds its input once, or not at all, but this one adds it ",
                    from_.adds_input, " times; leave gains out"});
        if (from_.adds_input == 1)
            text_ += " \"in_skip\": 1,";
        if (from_.sample_rate > 0) {
            text_ += " \"samplerate\": ";
            put_number(from_.sample_rate);
            text_ += ',';
        }
        text_ += "\n \"layers\": [";
        for (layer_ = 0; layer_ < from_.layers.size(); ++layer_) {
            text_ += layer_ == 0 ? "\n  " : ",\n  ";
            add(from_.layers[layer_]);
        }
        return text_ + "]}\n";
    }

private:
    [[noreturn]] static void refuse(std::initializer_list<sentence_part> words) {
        fail<std::invalid_argument>(words);
    }
    void put(std::span<double const> values) {
        for (double const value : values)
            if (!std::isfinite(value))
                refuse(
                    {"RTNeural's JSON has finite numbers, but a parameter of layer ", layer_, " is ", value});
        put_numbers(values);
    }
    /// [height, width]
    void put_matrix(std::span<double const> values, std::size_t width) {
        text_ += '[';
        for (std::size_t at = 0; at < values.size(); at += width) {
            text_ += at == 0 ? "" : ", ";
            put(values.subspan(at, width));
        }
        text_ += ']';
    }
    rows const& parameter(std::string const& called, std::size_t count) const {
        for (described_parameter const& one : from_.layers[layer_].parameters)
            if (one.called == called) {
                if (one.values.size() != count)
                    refuse({called, " of layer ", layer_, " has ", one.values.size(), " numbers, but ", count,
                            " are expected"});
                return one.values;
            }
        refuse(
            {"a model for RTNeural has all parameters of its layers, but layer ", layer_, " lacks ", called});
    }
    /// The matrices of gates, [height, units] each, side by side.
    rows of_gates(char kind, std::string_view gates, std::size_t height, std::size_t units) const {
        rows all(height * gates.size() * units);
        for (std::size_t g = 0; g < gates.size(); ++g) {
            rows const& one = parameter({kind, '_', gates[g]}, height * units);
            for (std::size_t row = 0; row < height; ++row)
                for (std::size_t u = 0; u < units; ++u)
                    all[(row * gates.size() + g) * units + u] = one[row * units + u];
        }
        return all;
    }
    void begin(std::string_view type, std::string_view activation, std::size_t units) {
        append({"{\"type\": \"", type, "\", \"activation\": \"", activation, "\", \"shape\": [null, null, ",
                units, "], \"weights\": ["},
               text_);
    }
    void put_recurrent(std::string_view type, std::string_view gates, std::size_t units) {
        std::size_t const wide = gates.size() * units;
        begin(type, "", units);
        put_matrix(of_gates('W', gates, width_, units), wide);
        text_ += ", ";
        put_matrix(of_gates('R', gates, units, units), wide);
        text_ += ", ";
    }
    void add(described_layer const& layer) {
        std::string_view const cell = layer.layer.cell;
        constexpr std::string_view ending = "_layer";
        std::size_t const units = layer.layer.extents.units > 0 ? layer.layer.extents.units : width_;
        if (cell == "lstm") {
            put_recurrent("lstm", "ifjo", units);
            rows bias = of_gates('b', "ifjo", 1, units);
            for (std::size_t u = 0; u < units; ++u)
                bias[units + u] += forget_bias_;
            put(bias);
        } else if (cell == "cudnn_gru") {
            put_recurrent("gru", "urn", units);
            rows both = of_gates('b', "urn", 1, units);
            rows const& inside = parameter("b_Rn", units);
            both.resize(5 * units); // beside the gates' own there is nothing inside
            both.insert(both.end(), inside.begin(), inside.end());
            put_matrix(both, 3 * units);
        } else if (cell == "dense") {
            begin("dense", "", units);
            put_matrix(parameter("W_y", width_ * units), units);
            text_ += ", ";
            put(parameter("b_y", units));
        } else if (cell == "prelu_layer") {
            begin("prelu", "", units);
            put(parameter("p_a", units));
        } else if (cell == "tanh_layer" || cell == "sigmoid_layer" || cell == "relu_layer" ||
                   cell == "elu_layer" || cell == "softmax_layer")
            begin("activation", cell.substr(0, cell.size() - ending.size()), units);
        else
            refuse({"RTNeural's JSON has no layer of the cell ", cell,
                    "; lstm, cudnn_gru, dense and pointwise layers can be written"});
        text_ += "]}";
        width_ = units;
    }

    described_model const& from_;
    double forget_bias_ = 1;
    std::size_t width_ = 0, layer_ = 0;
};

} // namespace detail

/// The text of a file. Throws `std::invalid_argument` for a layer that RTNeural's JSON has not, a parameter
/// that is missing, of another size or not finite, a state that starts elsewhere, and other settings than
/// forget_bias.
inline std::string rtneural_text(described_model const& from) {
    return detail::rtneural_writer(from).text();
}

/// Writes it to a file: the whole of it, or the old file stays. Throws as rtneural_text does, and
/// checkpoint_error where the file cannot be written.
inline void write_rtneural(std::filesystem::path const& path, described_model const& from) {
    detail::replace_file(path, rtneural_text(from));
}

} // namespace sluice
