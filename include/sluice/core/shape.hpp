// SPDX-License-Identifier: BSL-1.0
// Shapes of tensors in sentences: what was expected, and what came.
#pragma once

#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sluice::detail {

template <class Shape>
std::string shape_text(Shape const& shape) {
    std::string text = "[";
    for (auto extent : shape)
        text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
    return text + "]";
}

/// Throws `std::invalid_argument` with a sentence when the shapes differ.
template <class Expected, class Came>
void require_same_shape(std::string_view who, std::string_view what, Expected const& expected,
                        Came const& came) {
    bool same = std::size(expected) == std::size(came);
    for (std::size_t i = 0; same && i < std::size(expected); ++i)
        same = static_cast<std::size_t>(expected[i]) == static_cast<std::size_t>(came[i]);
    if (!same)
        throw std::invalid_argument("sluice: " + std::string(who) + " expects " + std::string(what) +
                                    " of shape " + shape_text(expected) + ", but got " + shape_text(came));
}

} // namespace sluice::detail
