// SPDX-License-Identifier: BSL-1.0
// Models of GuitarML and Proteus: the JSON of Automated-GuitarAmpModelling (Wright et al., "Real-time guitar
// amplifier emulation with deep learning", Applied Sciences 2020), an LSTM or a GRU of PyTorch and a dense
// layer.
//
//   { "model_data": {"unit_type": "LSTM", "input_size": 1, "hidden_size": 40, "output_size": 1,
//                    "num_layers": 1, "skip": 1, "bias_fl": true},
//     "state_dict": {"rec.weight_ih_l0": [4 units, input], "rec.weight_hh_l0": [4 units, units],
//                    "rec.bias_ih_l0": [4 units], "rec.bias_hh_l0": [4 units],
//                    "lin.weight": [output, units], "lin.bias": [output]} }
//
// With skip the first input is added to the output. Inputs after the first one are knobs.
#pragma once

#include <cstddef>
#include <sluice/checkpoint/error.hpp>
#include <sluice/model/described_model.hpp>
#include <sluice/model/json_tree.hpp>
#include <sluice/model/pytorch_layers.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {
namespace detail {

class guitarml_reader : pytorch_reader {
public:
    guitarml_reader(json_value const& root, std::string file) : pytorch_reader(root, std::move(file)) {}

    described_model read() {
        described_model found;
        found.source = "GuitarML, " + file_;
        json_value const& about = member(root_, "model_data");
        json_value const& all = member(root_, "state_dict");
        at("model_data");
        std::string const type = text_of(about, "unit_type");
        if (type != "LSTM" && type != "GRU")
            refuse("a cell of the type " + checkpoint_errors::shown(type) +
                   " cannot be run; LSTM and GRU can");
        auto const whole = [&](std::string_view name) { return width_of(member(about, name).number, name); };
        std::size_t const units = whole("hidden_size"), outputs = whole("output_size");
        std::size_t const layers = whole("num_layers"), gates = type == "LSTM" ? 4 : 3;
        std::size_t width = whole("input_size");
        found.adds_input = number_of(about, "skip", 0) != 0 ? 1 : 0;
        bool const has_bias = number_of(about, "bias_fl", 1) != 0;
        at("state_dict");
        for (std::size_t l = 0; l < layers; ++l, width = units) {
            auto const called = [&](std::string_view name) {
                return "rec." + std::string(name) + "_l" + std::to_string(l);
            };
            auto const matrix = [&](std::string const& name, std::size_t columns) {
                return matrix_of(member(all, name), gates * units, columns, name);
            };
            auto const bias = [&](std::string const& name) {
                return has_bias ? vector_of(member(all, name), gates * units, name) : rows(gates * units);
            };
            rows const w = matrix(called("weight_ih"), width), r = matrix(called("weight_hh"), units);
            rows const own = bias(called("bias_ih")), inside = bias(called("bias_hh"));
            found.layers.push_back(type == "LSTM" ? lstm_of(width, units, w, r, sum_of(own, inside))
                                                  : gru_of(width, units, w, r, own, inside));
        }
        found.layers.push_back(linear_of(units, outputs,
                                         matrix_of(member(all, "lin.weight"), outputs, units, "lin.weight"),
                                         vector_of(member(all, "lin.bias"), outputs, "lin.bias")));
        if (type == "LSTM")
            found.numbers = {{"forget_bias", 0}};
        return found;
    }
};

} // namespace detail

/// Whether it is a model of GuitarML, and not another program's JSON.
inline bool is_guitarml(json_value const& root) {
    return root.find("model_data") != nullptr && root.find("state_dict") != nullptr;
}

/// `file` is how errors call it. Throws checkpoint_error for a cell or a shape that is not understood.
inline described_model describe_guitarml(json_value const& root, std::string const& file) {
    return detail::guitarml_reader(root, file).read();
}

} // namespace sluice
