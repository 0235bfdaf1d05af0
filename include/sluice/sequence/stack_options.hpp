// SPDX-License-Identifier: BSL-1.0
// What of a stack of layers is chosen when the program runs, and which pages stand in its type.
#pragma once

#include <cstddef>
#include <sluice/cell/cell.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/sequence/layer.hpp>
#include <string_view>

namespace sluice {

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

/// One layer of each page, in this order: `sluice::stack<sluice::layers<lstm, gru, dense>>`.
template <class... Pages>
struct layers {};

namespace detail {

/// The pages of a stack. A group is a number of equal layers; page I is that of group I.
template <bool IsUniform, class... Pages>
struct stack_pages {};

template <class Page>
struct stack_pages_of {
    using type = stack_pages<true, typename page_of_cell<Page>::type>;
};
template <class... Pages>
struct stack_pages_of<layers<Pages...>> {
    static_assert(sizeof...(Pages) > 0, "sluice: layers<...> expects at least one page");
    using type = stack_pages<false, typename page_of_cell<Pages>::type...>;
};

constexpr std::string_view name_of_direction(direction d) {
    return d == direction::unidirectional ? "unidirectional"
           : d == direction::reversed     ? "reversed"
                                          : "bidirectional";
}

/// Throws `std::invalid_argument` for an enumerator that is none.
inline void require_enumerators(stack_options const& options) {
    auto const way = static_cast<int>(options.direction), added = static_cast<int>(options.residual);
    if (way < 0 || way > static_cast<int>(direction::reversed))
        fail<std::invalid_argument>({"a stack expects .direction to be unidirectional, bidirectional or "
                                     "reversed, but it is number ",
                                     way});
    if (added < 0 || added > static_cast<int>(residual::all))
        fail<std::invalid_argument>(
            {"a stack expects .residual to be none, between_layers or all, but it is number ", added});
}

} // namespace detail
} // namespace sluice
