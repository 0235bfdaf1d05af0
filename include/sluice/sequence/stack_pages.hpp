// SPDX-License-Identifier: BSL-1.0
// Which pages stand in the type of a stack, and what its states are then.
#pragma once

#include <sluice/cell/adapt/skip_input.hpp>
#include <sluice/cell/cell.hpp>
#include <sluice/sequence/stack_state.hpp>
#include <tuple>

namespace sluice {

/// One layer of each page, in this order: `sluice::stack<sluice::layers<lstm, gru, dense>>`.
template <class... Pages>
struct layers {};

/// A page whose stack can choose the input mode when the program runs: `sluice::stack<any_input_mode<gru>>`.
template <class Page>
struct any_input_mode {};

namespace detail {

/// The pages of a stack. A group is a number of equal layers; page I is that of group I. In a uniform stack
/// all layers have the same states.
template <bool IsUniform, class... Pages>
struct stack_pages {};

template <class Page>
struct stack_pages_of {
    using type = stack_pages<true, typename page_of_cell<Page>::type>;
};
template <class Page>
struct stack_pages_of<any_input_mode<Page>> {
    using linear = typename page_of_cell<Page>::type;
    using type = stack_pages<true, skip_input<linear>, linear>;
};
template <class... Pages>
struct stack_pages_of<layers<Pages...>> {
    static_assert(sizeof...(Pages) > 0, "sluice: layers<...> expects at least one page");
    using type = stack_pages<false, typename page_of_cell<Pages>::type...>;
};

/// The states: one map for all layers, or one for each.
template <bool IsUniform, class S, class... Pages>
struct states_of_stack {
    using type = states_by_layer<S, Pages...>;
};
template <class S, class First, class... More>
struct states_of_stack<true, S, First, More...> {
    using type = stacked_states<std::tuple_element_t<sizeof...(More), std::tuple<First, More...>>, S>;
};

} // namespace detail
} // namespace sluice
