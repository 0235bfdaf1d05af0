// SPDX-License-Identifier: BSL-1.0
// A model as a file describes it: layers with their parameters, in the names and orders of our pages. Readers
// of formats make it, and make_model makes a model of it. It needs no tensors.
#pragma once

#include <sluice/cell/settings.hpp>
#include <sluice/core/extents.hpp>
#include <string>
#include <vector>

namespace sluice {

/// A layer by the name of its cell. After the first layer `.input` can be left out.
struct model_layer {
    std::string cell;
    sizes extents{};
};
/// A parameter of a layer, its numbers side by side as our page has them.
struct described_parameter {
    std::string called; ///< in its page: "W_i"
    std::vector<double> values{};
};
/// A layer, and what the file says of its parameters; the others start as those of their page do.
struct described_layer {
    model_layer layer{};
    std::vector<described_parameter> parameters{};
    std::string equations{}; ///< of the cell, as they were printed; empty: the file does not say
};
/// The version of the library's own file format (model/own_json.hpp).
inline constexpr int own_format_version = 1;

/// All layers, and the settings of those that have any.
struct described_model {
    std::string source{}; ///< the format and the file, for people
    std::vector<described_layer> layers{};
    settings numbers{};
    std::vector<described_parameter> starts{}; ///< of states: "layer0/c"
    double adds_input = 0;                     ///< how often the first input is added to every output
    double sample_rate = 0;                    ///< at which it learned, in Hz; 0: the file does not say
    bool is_complete = false;                  ///< whether it has all parameters
};

} // namespace sluice
