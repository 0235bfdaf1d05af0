// SPDX-License-Identifier: BSL-1.0
// What layers of cuDNN are asked for, in the names of TensorFlow's classes CudnnGRU, CudnnLSTM and so on.
#pragma once

#include <cstddef>
#include <sluice/core/fail.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/net/dropout.hpp>
#include <sluice/net/stack_options.hpp>
#include <stdexcept>

namespace sluice {

struct cudnn_options {
    std::size_t num_layers = 1;
    std::size_t num_units = 0;
    std::size_t input_size = 0;
    sluice::input_mode input_mode = input_mode::linear_input;
    sluice::direction direction = direction::unidirectional;
    double dropout = 0;  ///< rate between layers, in training
    sluice::seed seed{}; ///< of dropout; TensorFlow joins it with the graph's, here it stands alone

    static constexpr std::size_t most_layers = 65536;
};

namespace detail {

/// Whether the first layer takes x as it is.
inline bool skips_input(cudnn_options const& o) {
    return sluice::skips_input(o.input_mode, o.input_size, o.num_units);
}

/// The same options. Throws `std::invalid_argument` that names the one that cuDNN's layers cannot have.
inline cudnn_options const& checked(cudnn_options const& o) {
    if (o.num_layers == 0 || o.num_layers > cudnn_options::most_layers)
        fail<std::invalid_argument>({"layers of cuDNN expect num_layers from 1 to ",
                                     cudnn_options::most_layers, ", but it is ", o.num_layers});
    if (o.num_units == 0 || o.input_size == 0)
        fail<std::invalid_argument>(
            {"layers of cuDNN expect num_units and input_size of at least 1, but they are ", o.num_units,
             " and ", o.input_size});
    require_count("the recurrent matrix of num_units", {o.num_units, o.num_units});
    require_count("the matrix of num_units and input_size", {o.num_units, o.input_size});
    require_rate("dropout", o.dropout);
    name_of(o.input_mode); // which refuse what is none
    name_of(o.direction);
    if (o.direction == direction::reversed)
        fail<std::invalid_argument>(
            {"layers of cuDNN are unidirectional or bidirectional, but direction is "
             "reversed; use a stack, or unidirectional layers of reversed sequences"});
    if (o.input_mode == input_mode::skip_input && o.input_size != o.num_units)
        fail<std::invalid_argument>({"skip_input expects an input as wide as the units, but input_size is ",
                                     o.input_size, " and num_units is ", o.num_units,
                                     "; use linear_input, which gives the first layer input matrices"});
    return o;
}

} // namespace detail
} // namespace sluice
