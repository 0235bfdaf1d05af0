// SPDX-License-Identifier: BSL-1.0
// Widths: the symbols that equations are written in, and the numbers that a cell gives them.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>

namespace sluice {

/// What a width can be. `open` is a width that the equations leave to be found from its neighbours.
enum class symbol : unsigned char { open, number, input, units, projection };

/// The width of a vector: a symbol, or a number of features.
struct width {
    symbol kind = symbol::open;
    std::size_t features = 0;

    constexpr width() = default;
    constexpr width(symbol s) : kind(s) {}
    constexpr width(std::size_t number) : kind(symbol::number), features(number) {}
    constexpr width(symbol s, std::size_t number) : kind(s), features(number) {} // the form that nvcc prints
    friend constexpr bool operator==(width const&, width const&) = default;
};

/// The numbers of a cell. As a template argument a zero says "known at run time only".
struct sizes {
    std::size_t input = 0;      ///< features of the input x
    std::size_t units = 0;      ///< features of a gate and of a state that names no other width
    std::size_t projection = 0; ///< features after a projection; 0 where there is none
    std::size_t groups = 1;     ///< groups of a product over feature groups

    friend constexpr bool operator==(sizes const&, sizes const&) = default;
};

constexpr std::string_view name_of(symbol s) {
    switch (s) {
    case symbol::number:
        return "number";
    case symbol::input:
        return "input";
    case symbol::units:
        return "units";
    case symbol::projection:
        return "projection";
    case symbol::open:
        break;
    }
    return "open";
}

/// The number behind a width.
constexpr std::size_t extent(width w, sizes const& n) {
    switch (w.kind) {
    case symbol::number:
        return w.features;
    case symbol::input:
        return n.input;
    case symbol::units:
        return n.units;
    case symbol::projection:
        return n.projection;
    case symbol::open:
        break;
    }
    return 0;
}

/// Numbers that an array can have: as many bytes as a pointer can tell apart, at 16 bytes a number.
inline constexpr std::size_t most_numbers = std::numeric_limits<std::ptrdiff_t>::max() / 16;

/// The product of extents, or nothing where it is more than an array can have.
constexpr std::optional<std::size_t> count_of(std::initializer_list<std::size_t> extents) {
    std::size_t count = 1;
    for (std::size_t e : extents)
        if (e == 0)
            return 0;
    for (std::size_t e : extents) {
        if (e > most_numbers / count)
            return std::nullopt;
        count *= e;
    }
    return count;
}

} // namespace sluice
