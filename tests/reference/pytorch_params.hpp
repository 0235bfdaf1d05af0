// SPDX-License-Identifier: BSL-1.0
// Layers in cuDNN's form have PyTorch's parameters one after the other: the matrices weight_ih, weight_hh and
// weight_hr of each layer and direction, then their biases bias_ih and bias_hh. So a network of PyTorch is
// one vector here, and so are its gradients.
#pragma once

#include <reference/agreement.hpp>
#include <sluice/tensorflow/cudnn_layers.hpp>

namespace reference {

/// `before` stands before the names of the arrays.
template <class S>
std::vector<S> params_of(recording const& from, std::string const& before = "") {
    std::vector<S> all;
    for (auto const& kinds : {std::vector{"weight_ih", "weight_hh", "weight_hr"}, {"bias_ih", "bias_hh"}})
        for (std::size_t layer = 0; layer < from.number("layers"); ++layer)
            for (std::size_t d = 0; d < from.directions(); ++d)
                for (std::string const kind : kinds) {
                    std::string const array =
                        before + kind + "_l" + std::to_string(layer) + (d == 1 ? "_reverse" : "");
                    if (kind == "weight_hr" && !from.tensors.contains(array))
                        continue; // an LSTM without projection
                    for (double const value : from.values(array))
                        all.push_back(static_cast<S>(value));
                }
    return all;
}

template <class Net>
void reproduces_vector(recording const& from, Net const& net) {
    CAPTURE(from.name);
    auto const found = agrees_but_for_parameters(from, net);
    CHECK(off(found.values(), params_of<double>(from, "gradient/")) <
          tolerance<typename Net::scalar_type>(from));
}

/// Layers of TensorFlow's names.
template <class Layers>
void reproduces_layers(std::string const& cell, std::size_t count) {
    using S = typename Layers::scalar_type;
    auto const all = recordings("pytorch", cell);
    CHECK(all.size() == count);
    for (recording const& from : all) {
        Layers net({.num_layers = from.number("layers"),
                    .num_units = from.number("units"),
                    .input_size = from.number("input"),
                    .direction = from.direction()});
        net.set_params(params_of<S>(from));
        reproduces_vector(from, net);
    }
}

} // namespace reference
