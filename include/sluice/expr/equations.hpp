// SPDX-License-Identifier: BSL-1.0
// The lines of a cell, together, and the page that holds them: a struct of any name, which is the key of all
// that the compiler makes of its equations.
//
//   struct mgu {
//       static constexpr auto equations = sluice::lines(
//           f       = sigmoid(x * W<"f"> + h * R<"f"> + b<"f">),
//           n       = tanh(x * W<"n"> + (f * h) * R<"n"> + b<"n">),
//           next(h) = (1 - f) * h + f * n);
//   };
#pragma once

#include <sluice/expr/composed.hpp>
#include <type_traits>

namespace sluice {

/// An empty type that the graph is made from.
template <class... Lines>
struct equation_set {};

namespace equation {

template <class Line>
inline constexpr bool is_line = false;
template <class Key, class E>
inline constexpr bool is_line<gate_definition<Key, E>> = true;
template <class Key, class Width, class E>
inline constexpr bool is_line<state_update<Key, Width, E>> = true;
template <class Key, class Width, class E>
inline constexpr bool is_line<initial_definition<Key, Width, E>> = true;
template <class E>
inline constexpr bool is_line<output_definition<E>> = true;

/// `gate = ...`, `next(state) = ...`, `initial(state) = ...` or `output = ...`
template <class Line>
concept line = is_line<Line>;

template <class>
inline constexpr bool is_equation_set = false;
template <class... Lines>
inline constexpr bool is_equation_set<equation_set<Lines...>> = true;

} // namespace equation

/// The lines of a cell: gates, updates of the states and where they start, and the output. They are checked
/// where their page is used.
template <equation::line... Line>
constexpr equation_set<Line...> lines(Line...) {
    return {};
}

/// The lines of several sets, one set after the other.
template <class... Line>
constexpr equation_set<Line...> lines(equation_set<Line...>) {
    return {};
}
template <class... First, class... Second, class... More>
constexpr auto lines(equation_set<First...>, equation_set<Second...>, More... more) {
    return lines(equation_set<First..., Second...>{}, more...);
}

/// A struct that holds the equations of a cell.
template <class Page>
concept page = equation::is_equation_set<std::remove_cv_t<decltype(Page::equations)>>;

} // namespace sluice
