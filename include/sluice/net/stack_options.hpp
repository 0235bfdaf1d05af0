// SPDX-License-Identifier: BSL-1.0
// What of a stack of layers is chosen when the program runs.
#pragma once

#include <cstddef>
#include <sluice/core/fail.hpp>
#include <sluice/parameter/random.hpp>
#include <string_view>

namespace sluice {

/// Both directions of a bidirectional layer read all of its input; their outputs stand side by side.
enum class direction { unidirectional, bidirectional, reversed };

/// Which layers add their input to their output, y = layer(x) + x; both have to be as wide.
enum class residual { none, between_layers, all };

/// Whether the first layer multiplies x with matrices, or takes it as it is; auto_select does the latter
/// where the input is as wide as the units (cuDNN, TensorFlow's CudnnGRU).
enum class input_mode { linear_input, skip_input, auto_select };

struct stack_options {
    std::size_t layers = 1; ///< of a stack of one page
    sluice::direction direction = direction::unidirectional;
    sluice::input_mode input_mode = input_mode::linear_input; ///< others: of a stack<any_input_mode<page>>
    double dropout = 0;           ///< rate on what one layer gives the next, in training
    bool variational = false;     ///< one mask for all time steps (Gal and Ghahramani, arXiv 1512.05287)
    double zoneout = 0;           ///< rate of a stack<zoneout<page>>
    double recurrent_dropout = 0; ///< rate of a stack<recurrent_dropout<page>>
    sluice::residual residual = residual::none;
    seed dropout_seed{}; ///< of all masks
};

/// How many directions the layers of a stack have.
constexpr std::size_t directions_of(direction d) {
    return d == direction::bidirectional ? 2 : 1;
}

/// Whether a first layer takes x as it is.
constexpr bool skips_input(input_mode m, std::size_t input, std::size_t units) {
    return m == input_mode::skip_input || (m == input_mode::auto_select && input == units);
}

/// Throws `std::invalid_argument` for a number that is no direction.
inline std::string_view name_of(direction d) {
    switch (d) {
    case direction::unidirectional:
        return "unidirectional";
    case direction::bidirectional:
        return "bidirectional";
    case direction::reversed:
        return "reversed";
    }
    fail<std::invalid_argument>(
        {"a stack expects .direction to be unidirectional, bidirectional or reversed, but it is number ",
         static_cast<int>(d)});
}
/// Throws `std::invalid_argument` for a number that is no input mode.
inline std::string_view name_of(input_mode m) {
    switch (m) {
    case input_mode::linear_input:
        return "linear_input";
    case input_mode::skip_input:
        return "skip_input";
    case input_mode::auto_select:
        return "auto_select";
    }
    fail<std::invalid_argument>(
        {"a stack expects .input_mode to be linear_input, skip_input or auto_select, but it is number ",
         static_cast<int>(m)});
}
/// Throws `std::invalid_argument` for a number that is no residual.
inline std::string_view name_of(residual r) {
    switch (r) {
    case residual::none:
        return "none";
    case residual::between_layers:
        return "between_layers";
    case residual::all:
        return "all";
    }
    fail<std::invalid_argument>(
        {"a stack expects .residual to be none, between_layers or all, but it is number ",
         static_cast<int>(r)});
}

} // namespace sluice
