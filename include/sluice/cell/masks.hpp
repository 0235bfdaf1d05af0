// SPDX-License-Identifier: BSL-1.0
// Masks: inputs of a page that hold back parts of its states while it learns. Whoever runs the page draws them
// at random, and gives them by their names as any other input, [batch, width of the state] for each time step.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/core/name.hpp>
#include <sluice/expr/rewrite.hpp>

namespace sluice {

/// What the numbers of a mask stand for.
enum class mask_kind : unsigned char {
    zoneout, ///< 1 where a state keeps its value, else 0; without learning the rate everywhere
    dropout, ///< 0 where a state is dropped, else 1 / (1 - rate); without learning 1 everywhere
};

/// An input that is a mask.
struct mask {
    name called{};
    mask_kind kind = mask_kind::zoneout;

    friend constexpr bool operator==(mask const&, mask const&) = default;
};

/// The masks of a page, in the order in which its adaptors have added them; of most pages none.
template <class Page>
constexpr auto masks_of() {
    if constexpr (requires { Page::masks; })
        return Page::masks;
    else
        return std::array<mask, 0>{};
}

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
    static_assert(
        sizeof...(A) + sizeof...(B) <= most_letters,
        "sluice: a name made of zoneout_ or dropout_ and that of a state has more than 31 letters; give the "
        "state a shorter name");
    using type = boost::hana::string<A..., B...>;
};
template <literal Prefix, class Key>
using prefixed_key = typename prefixed<key<Prefix>, Key>::type;

/// The mask of a state: an input of its width.
template <literal Prefix, class Key, class Width>
using mask_term = equation::input_term<prefixed_key<Prefix, Key>, Width>;

/// The name of the mask that the state of a line has among these lines; no letters where it has none.
template <literal Prefix, class Lines, class Line>
constexpr name mask_of(Line) {
    return {};
}
template <literal Prefix, class Lines, class Key, class Width, class E>
constexpr name mask_of(equation::state_update<Key, Width, E>) {
    return rewriting::contains<mask_term<Prefix, Key, Width>>(Lines{}) ? name_of(prefixed_key<Prefix, Key>{})
                                                                       : name{};
}

/// The masks of a page, and those with this prefix in its adapted lines.
template <class Page, mask_kind Kind, literal Prefix, class... Line>
constexpr auto add_masks(equation_set<Line...>) {
    constexpr auto before = masks_of<Page>();
    constexpr std::array<name, sizeof...(Line)> names{mask_of<Prefix, equation_set<Line...>>(Line{})...};
    constexpr auto is_one = [](name const& n) { return !n.view().empty(); };
    constexpr auto count = static_cast<std::size_t>(std::count_if(names.begin(), names.end(), is_one));
    std::array<mask, before.size() + count> all{};
    auto* to = std::copy(before.begin(), before.end(), all.begin());
    for (name const& n : names)
        if (is_one(n))
            *to++ = {n, Kind};
    return all;
}

} // namespace detail
} // namespace sluice
