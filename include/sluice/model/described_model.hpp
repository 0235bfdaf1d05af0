// SPDX-License-Identifier: BSL-1.0
// A model as a file describes it: layers with their parameters, in the names and orders of our pages. Readers
// of formats make it, and make_model makes a net of it.
#pragma once

#include <cmath>
#include <cstddef>
#include <sluice/core/fail.hpp>
#include <sluice/model/model_net.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sluice {

/// A parameter of a layer, its numbers side by side as our page has them.
struct described_parameter {
    std::string called; ///< in its page: "W_i"
    std::vector<double> values{};
};
/// A layer, and what the file says of its parameters; the others start as those of their page do.
struct described_layer {
    model_layer layer{};
    std::vector<described_parameter> parameters{};
};
/// All layers, and the settings of those that have any.
struct described_model {
    std::string source{}; ///< the format and the file, for people
    std::vector<described_layer> layers{};
    settings numbers{};
    std::vector<described_parameter> starts{}; ///< of states: "layer0/c"
    bool adds_input = false;                   ///< the first input is added to every output
    double sample_rate = 0;                    ///< at which it learned, in Hz; 0: the file does not say
};

/// A net of these layers, without what is added to its outputs. Throws `std::invalid_argument` as model_net
/// and its assign do, and for a parameter that is not finite.
template <class S, class Kernels>
model_net<S, Kernels> make_model(described_model const& from,
                                 std::vector<model_cell<S, Kernels>> const& known) {
    std::vector<model_layer> layers;
    for (described_layer const& one : from.layers)
        layers.push_back(one.layer);
    model_net<S, Kernels> made(known, layers, from.numbers);
    for (std::size_t l = 0; l < from.layers.size(); ++l)
        for (described_parameter const& one : from.layers[l].parameters) {
            for (double const value : one.values)
                if (!std::isfinite(value))
                    fail<std::invalid_argument>({"a parameter of a model is finite, but ", one.called,
                                                 " of layer ", l, " has the number ", value});
            made.assign("layer" + std::to_string(l) + "/" + one.called, one.values);
        }
    for (described_parameter const& one : from.starts)
        made.start_at(one.called, one.values);
    return made;
}

} // namespace sluice
