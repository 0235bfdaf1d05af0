// SPDX-License-Identifier: BSL-1.0
// Shapes of tensors in sentences: what was expected, and what came.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <sluice/core/extents.hpp>
#include <sluice/core/fail.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice::detail {

/// A shape for a sentence.
template <class Shape>
std::vector<std::size_t> extents_in(Shape const& shape) {
    return {std::begin(shape), std::end(shape)};
}

/// How many numbers an array of these extents has. Throws `std::invalid_argument` with a sentence that names
/// them when no array can have so many.
inline std::size_t require_count(std::string_view what, std::initializer_list<std::size_t> extents) {
    auto const count = count_of(extents);
    if (!count)
        fail<std::invalid_argument>({what, " of shape ", extents_in(extents),
                                     " would have more numbers than memory can; choose smaller sizes"});
    return *count;
}

/// The rank of an expression, 0 if it is known at run time only.
template <class E>
inline constexpr std::size_t rank_of = [] {
    using shape = std::decay_t<decltype(std::declval<E const&>().shape())>;
    if constexpr (requires { std::tuple_size<shape>::value; })
        return std::tuple_size_v<shape>;
    else
        return std::size_t{0};
}();
template <class E, std::size_t Rank>
concept may_have_rank = (rank_of<E> == 0) || (rank_of<E> == Rank);

template <class Expected, class Came>
bool shapes_agree(Expected const& expected, Came const& came) {
    bool same = std::size(expected) == std::size(came);
    for (std::size_t i = 0; same && i < std::size(expected); ++i)
        same = static_cast<std::size_t>(expected[i]) == static_cast<std::size_t>(came[i]);
    return same;
}

template <class Error>
[[noreturn, gnu::cold, gnu::noinline]] void fail_of_shape(std::initializer_list<sentence_part> beginning,
                                                          std::span<std::size_t const> expected,
                                                          std::span<std::size_t const> came) {
    std::string text;
    append(beginning, text);
    fail<Error>({text, " of shape ", expected, ", but got ", came});
}

/// Throws `std::invalid_argument` with the sentence "... of shape [2, 3], but got [2, 4]".
template <class Expected, class Came>
[[noreturn]] void refuse_shape(std::initializer_list<sentence_part> beginning, Expected const& expected,
                               Came const& came) {
    using extents = std::span<std::size_t const>;
    if constexpr (!std::is_convertible_v<Expected const&, extents>)
        refuse_shape(beginning, extents_in(expected), came);
    else if constexpr (!std::is_convertible_v<Came const&, extents>)
        refuse_shape(beginning, expected, extents_in(came));
    else
        fail_of_shape<std::invalid_argument>(beginning, expected, came);
}

/// Throws `std::invalid_argument` with a sentence when the shapes differ.
template <class Expected, class Came>
void require_same_shape(std::string_view who, std::string_view what, Expected const& expected,
                        Came const& came) {
    if (!shapes_agree(expected, came))
        refuse_shape({who, " expects ", what}, expected, came);
}

} // namespace sluice::detail
