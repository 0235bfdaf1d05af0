// SPDX-License-Identifier: BSL-1.0
// A page whose states keep some of their old values (Krueger et al., arXiv 1606.01305). Each state s has a
// mask m, an input called zoneout_ and the state; where it is 1, the state stays what it was. Of the LSTM
//
//   c' = f . c + i . g       becomes      new_c = f . c + i . g
//   h' = o . tanh(c')                     c' = new_c . (1 - m_c) + m_c . c
//                                         h' = (o . tanh(new_c)) . (1 - m_h) + m_h . h
//
// Within a step, gates and other states see the new value of a state as if it kept nothing, as the paper has
// it (its h' reads new_c). The state after the step, with what it kept, is what the next step sees, and what
// the output is: next(s) in the line of the output is that state. While the page learns, m is 1 with the
// probability rate, otherwise 0; afterwards it is the rate itself, everywhere.
#pragma once

#include <sluice/cell/adapt/page_masks.hpp>
#include <sluice/expr/rewrite.hpp>

namespace sluice {
namespace detail {

template <class Key, class Line>
inline constexpr bool updates = false;
template <class Key, class Width, class E>
inline constexpr bool updates<Key, equation::state_update<Key, Width, E>> = true;

template <class Line>
inline constexpr bool is_output = false;
template <class E>
inline constexpr bool is_output<equation::output_definition<E>> = true;

template <class... A, class... B>
constexpr equation_set<A..., B...> operator+(equation_set<A...>, equation_set<B...>) {
    return {};
}

template <class Lines>
struct zoneout_of;
template <class... Line>
struct zoneout_of<equation_set<Line...>> {
    template <class Key>
    using new_key = prefixed_key<"new_", Key>;

    /// next(s) is the new value.
    struct within_the_step {
        template <class Key, class Width>
            requires((updates<Key, Line> || ...))
        static constexpr equation::gate_term<new_key<Key>> made(equation::next_term<Key, Width>) {
            return {};
        }
    };

    /// Gates and updates: the lines that see new values.
    using within = decltype((equation_set<>{} + ... +
                             std::conditional_t<is_output<Line>, equation_set<>, equation_set<Line>>{}));

    template <class One>
    static constexpr auto adapted(One line) {
        if constexpr (is_output<One>)
            return equation_set<One>{};
        else
            return equation_set<decltype(rewriting::rewrite<within_the_step>(line))>{};
    }
    template <class Key, class Width, class E>
    static constexpr auto adapted(equation::state_update<Key, Width, E>) {
        constexpr mask_term<"zoneout_", Key, Width> m;
        constexpr equation::state_term<Key, Width> s;
        constexpr auto value = rewriting::rewrite<within_the_step>(E{});
        auto const kept = value * (1 - m) + m * s;
        equation_set<equation::state_update<Key, Width, std::remove_cv_t<decltype(kept)>>> update;
        using new_line = equation::gate_definition<new_key<Key>, std::remove_cv_t<decltype(value)>>;
        if constexpr (rewriting::contains<equation::next_term<Key, Width>>(within{}))
            return update + equation_set<new_line>{};
        else
            return update;
    }

    using lines = decltype((equation_set<>{} + ... + adapted(Line{})));
};

/// After a refusal, so that no second error follows the first.
template <class Lines>
struct same_lines {
    using lines = Lines;
};

} // namespace detail

template <page Page>
struct zoneout : Page {
    static constexpr bool is_once = !detail::has_masks<Page>(mask_kind::zoneout);
    static_assert(is_once, "sluice: zoneout is given a page that has it already; use it once");

    using lines_of_page = std::remove_cv_t<decltype(Page::equations)>;
    using adapted =
        std::conditional_t<is_once, detail::zoneout_of<lines_of_page>, detail::same_lines<lines_of_page>>;
    static constexpr typename adapted::lines equations{};
    static constexpr auto masks =
        detail::add_masks<Page, mask_kind::zoneout, "zoneout_">(typename adapted::lines{});
    static constexpr bool is_any = !masks.empty();
    static_assert(is_any,
                  "sluice: zoneout is for states, and these equations have none; use the page as it is");
    static constexpr bool names_fit = detail::names_of_masks_fit<"zoneout_">(typename adapted::lines{});
    static_assert(names_fit,
                  "sluice: zoneout_ and the name of a state have more than 31 letters together; give "
                  "the state a shorter name");
};

} // namespace sluice
