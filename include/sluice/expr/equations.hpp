// SPDX-License-Identifier: BSL-1.0
// The lines of a cell, together: an empty type that the graph is made from.
#pragma once

#include <sluice/expr/vocabulary.hpp>
#include <type_traits>

namespace sluice {

template <class... Lines>
struct equation_set {};

namespace equation {

template <class Line>
inline constexpr bool is_line = false;
template <class Key, class E>
inline constexpr bool is_line<gate_definition<Key, E>> = true;
template <class Key, class Width, class E>
inline constexpr bool is_line<state_update<Key, Width, E>> = true;
template <class E>
inline constexpr bool is_line<output_definition<E>> = true;

/// `gate = ...`, `next(state) = ...` or `output = ...`
template <class Line>
concept line = is_line<Line>;

} // namespace equation

namespace detail {
template <class Key>
struct lines_of {
    using type = std::remove_cvref_t<decltype(Key::equations)>;
};
template <class... Line>
struct lines_of<equation_set<Line...>> {
    using type = equation_set<Line...>;
};
} // namespace detail

/// The equation set of a page, or of itself.
template <class Key>
using lines_of = typename detail::lines_of<Key>::type;

} // namespace sluice
