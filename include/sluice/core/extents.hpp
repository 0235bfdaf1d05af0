// SPDX-License-Identifier: BSL-1.0
// Widths: the symbols that equations are written in, and the numbers that a cell gives them.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <sluice/core/name.hpp>
#include <stdexcept>
#include <string_view>

namespace sluice {

/// What a width can be. `open` is one that the equations leave to be found from its neighbours, `own` one
/// that the cell names itself, `sum` that of things side by side, `matrix` the count of a matrix's numbers.
enum class symbol : unsigned char { open, number, input, units, projection, groups, own, sum, matrix };

constexpr std::string_view name_of(symbol s) {
    constexpr std::string_view words[] = {"open",   "number", "input", "units", "projection",
                                          "groups", "own",    "sum",   "matrix"};
    return words[static_cast<int>(s)];
}

/// The width of a vector: a symbol, or a number of features.
struct width {
    symbol kind = symbol::open;
    std::size_t features = 0; ///< of a number; of a sum or a matrix, where its numbers are known
    name called{};            ///< of a cell's own size

    constexpr width() = default;
    constexpr width(symbol s) : kind(s) {}
    constexpr width(std::size_t number) : kind(symbol::number), features(number) {}
    constexpr width(symbol s, std::size_t number, name n = {}) // the form that nvcc prints
        : kind(s), features(number), called(n) {}

    friend constexpr bool operator==(width const& a, width const& b) {
        return a.kind == b.kind && a.features == b.features &&
               (a.kind != symbol::own || a.called == b.called);
    }
};

/// The width that has this name among a cell's sizes.
constexpr width width_called(name const& n) {
    for (symbol s : {symbol::input, symbol::units, symbol::projection, symbol::groups})
        if (n.view() == name_of(s))
            return s;
    return {symbol::own, 0, n};
}
constexpr name name_of(width const& w) {
    return w.kind == symbol::own ? w.called : name(name_of(w.kind));
}

// Widths as types: what is told a width by one of these can be deduced by every compiler, and is short in
// errors.
/// A width that is a symbol, such as units.
template <symbol Symbol>
struct symbol_width {
    static constexpr width value{Symbol};
};
/// A width that is a number of features.
template <std::size_t Features>
struct number_width {
    static constexpr width value{Features};
};
/// A width that a cell names itself.
template <class Called>
struct own_width {
    static constexpr width value{symbol::own, 0, name_of(Called{})};
};

/// That of a matrix value, [rows, columns]; with groups each of them has [rows / groups, columns / groups].
template <class Rows, class Columns, class Groups>
struct matrix_width {};

namespace detail {
template <width W, symbol Kind = W.kind>
struct key_of_width {
    using type = symbol_width<Kind>;
};
template <width W>
struct key_of_width<W, symbol::number> {
    using type = number_width<W.features>;
};
template <width W>
struct key_of_width<W, symbol::own> {
    using type = own_width<spelled<W.called>>;
};
template <width W>
struct key_of_width<W, symbol::open> {
    using type = void;
};
} // namespace detail

/// The type of a width; `void` of one that is left open.
template <width W>
using key_of_width = typename detail::key_of_width<W>::type;

/// A size that the equations of a cell name themselves.
struct own_size {
    name called{};
    std::size_t features = 0;

    constexpr own_size() = default;
    constexpr own_size(std::string_view n, std::size_t number) : called(n), features(number) {
        if (n.empty() || n.size() >= name::capacity)
            throw std::invalid_argument("sluice: the name of a size has 1 to 31 letters; shorten it");
    }
    friend constexpr bool operator==(own_size const&, own_size const&) = default;
};

/// `{{"context", 7}, {"memory", 20}}`
struct own_sizes {
    static constexpr std::size_t most = 8;
    own_size items[most]{};
    std::size_t count = 0;

    constexpr own_sizes() = default;
    constexpr own_sizes(std::initializer_list<own_size> given) {
        for (own_size const& one : given) {
            if (count == most)
                throw std::invalid_argument("sluice: a cell has at most 8 sizes of its own; use numbers");
            if (find(one.called) < count)
                throw std::invalid_argument("sluice: a size of the cell's own is given twice");
            items[count++] = one;
        }
    }
    /// The place of a name; `count` if it is not there.
    constexpr std::size_t find(std::string_view n) const {
        std::size_t i = 0;
        while (i < count && items[i].called.view() != n)
            ++i;
        return i;
    }
    /// The number of that name, or 0.
    constexpr std::size_t operator[](std::string_view n) const {
        std::size_t const i = find(n);
        return i < count ? items[i].features : 0;
    }
    constexpr own_size const* begin() const { return items; }
    constexpr own_size const* end() const { return items + count; }
    friend constexpr bool operator==(own_sizes const&, own_sizes const&) = default;
};

/// The numbers of a cell. As a template argument a zero says "known at run time only".
struct sizes {
    std::size_t input = 0;      ///< features of the input x
    std::size_t units = 0;      ///< features of a gate and of a state that names no other width
    std::size_t projection = 0; ///< features after a projection; 0 where there is none
    std::size_t groups = 1;     ///< groups of a product over feature groups
    own_sizes own{};            ///< widths that the equations name themselves: `.own = {{"context", 7}}`

    friend constexpr bool operator==(sizes const&, sizes const&) = default;
};

/// The number that a width stands for.
constexpr std::size_t extent(width const& w, sizes const& n) {
    switch (w.kind) {
    case symbol::number:
    case symbol::sum:
    case symbol::matrix:
        return w.features;
    case symbol::input:
        return n.input;
    case symbol::units:
        return n.units;
    case symbol::projection:
        return n.projection;
    case symbol::groups:
        return n.groups;
    case symbol::own:
        return n.own[w.called];
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
