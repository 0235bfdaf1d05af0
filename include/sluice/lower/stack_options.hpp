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

struct stack_options {
    std::size_t layers = 1; ///< of a stack of one page
    sluice::direction direction = direction::unidirectional;
    double dropout = 0;       ///< rate on what one layer gives the next, in training
    bool variational = false; ///< one mask for all time steps (Gal and Ghahramani, arXiv 1512.05287)
    sluice::residual residual = residual::none;
    seed dropout_seed{};
};

constexpr std::size_t directions_of(direction d) {
    return d == direction::bidirectional ? 2 : 1;
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
        {"a direction is unidirectional, bidirectional or reversed, but it is number ", static_cast<int>(d)});
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
        {"residual is none, between_layers or all, but it is number ", static_cast<int>(r)});
}

} // namespace sluice
