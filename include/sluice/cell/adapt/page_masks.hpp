// SPDX-License-Identifier: BSL-1.0
// The masks (net/masks.hpp) of a page, by which its adaptors know them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/core/name.hpp>
#include <sluice/expr/rewrite.hpp>
#include <sluice/net/masks.hpp>

namespace sluice {

/// The masks of a page, in the order in which its adaptors have added them; of most pages none.
template <class Page>
constexpr auto masks_of() {
    if constexpr (requires { Page::masks; })
        return Page::masks;
    else
        return std::array<mask, 0>{};
}
/// The same, where a net finds them.
template <class Page>
inline constexpr auto all_masks_of = masks_of<Page>();

namespace detail {

template <class Page>
constexpr bool has_masks(mask_kind kind) {
    constexpr auto all = masks_of<Page>();
    return std::any_of(all.begin(), all.end(), [&](mask const& m) { return m.kind == kind; });
}

/// `zoneout_h` of `zoneout_` and `h`.
template <class Prefix, class Key>
struct prefixed;
template <char... A, char... B>
struct prefixed<boost::hana::string<A...>, boost::hana::string<B...>> {
    using type = boost::hana::string<A..., B...>;
};
template <literal Prefix, class Key>
using prefixed_key = typename prefixed<key<Prefix>, Key>::type;

/// The mask of a state: an input of its width.
template <literal Prefix, class Key, class Width>
using mask_term = equation::input_term<prefixed_key<Prefix, Key>, Width>;

template <char... C>
constexpr std::size_t count_of_letters(boost::hana::string<C...>) {
    return sizeof...(C);
}

/// How long the name of the mask is that the state of a line has among these lines; 0 where it has none.
template <literal Prefix, class Lines, class Line>
constexpr std::size_t letters_of_mask(Line) {
    return 0;
}
template <literal Prefix, class Lines, class Key, class Width, class E>
constexpr std::size_t letters_of_mask(equation::state_update<Key, Width, E>) {
    return rewriting::contains<mask_term<Prefix, Key, Width>>(Lines{})
               ? count_of_letters(prefixed_key<Prefix, Key>{})
               : 0;
}
template <literal Prefix, class... Line>
constexpr bool names_of_masks_fit(equation_set<Line...>) {
    return ((letters_of_mask<Prefix, equation_set<Line...>>(Line{}) <= most_letters) && ...);
}

template <literal Prefix, class Line>
constexpr name name_of_mask(Line) {
    return {};
}
template <literal Prefix, class Key, class Width, class E>
constexpr name name_of_mask(equation::state_update<Key, Width, E>) {
    return name_of(prefixed_key<Prefix, Key>{});
}

/// The masks of a page, and those with this prefix in its adapted lines.
template <class Page, mask_kind Kind, literal Prefix, class... Line>
constexpr auto add_masks(equation_set<Line...>) {
    constexpr auto before = masks_of<Page>();
    constexpr std::array<bool, sizeof...(Line)> is_there{
        letters_of_mask<Prefix, equation_set<Line...>>(Line{}) > 0 ...};
    constexpr auto count = static_cast<std::size_t>(std::count(is_there.begin(), is_there.end(), true));
    std::array<mask, before.size() + count> all{};
    auto* to = std::copy(before.begin(), before.end(), all.begin());
    std::size_t line = 0;
    ((is_there[line++] ? void(*to++ = {name_of_mask<Prefix>(Line{}), Kind}) : void()), ...);
    return all;
}

} // namespace detail
} // namespace sluice
