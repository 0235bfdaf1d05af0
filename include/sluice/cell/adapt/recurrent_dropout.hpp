// SPDX-License-Identifier: BSL-1.0
// A page with dropout on its recurrent products (Gal and Ghahramani, arXiv 1512.05287): a state that is
// multiplied with a matrix is first multiplied with a mask m, an input called dropout_ and the state. Of the
// GRU
//
//   r  = sigmoid(x W_r + h R_r + b_r)         becomes   r = sigmoid(x W_r + (m . h) R_r + b_r)
//   n  = tanh(x W_n + (r . h) R_n + b_n)      becomes   n = tanh(x W_n + (r . (m . h)) R_n + b_n)
//   h' = u . h + (1 - u) . n                  stays as it is
//
// All products of a step have the same mask. The paper keeps it for a whole sequence; that, and its numbers,
// 0 or 1 / (1 - rate), are the caller's. A state counts where it stands left of a matrix as it is,
// times something, or in a sum, a slice or a concat; within a function, as in tanh(h) R, it does not.
#pragma once

#include <sluice/cell/adapt/page_masks.hpp>
#include <sluice/expr/rewrite.hpp>

namespace sluice {
namespace detail {

/// A gate left of a matrix whose own line would have to be another one there.
struct gate_with_state : equation::term {};

template <class Lines>
struct dropped_states {
    using reader = rewriting::reader<Lines>;

    /// What stands left of a matrix.
    struct on_the_left {
        template <class Key, class Width>
        static constexpr auto made(equation::state_term<Key, Width> state) {
            return mask_term<"dropout_", Key, Width>{} * state;
        }
        template <class Key>
            requires(reader::has_state(equation::gate_term<Key>{}))
        static constexpr gate_with_state made(equation::gate_term<Key>) { return {}; }
        template <class F, class... E>
            requires(!reader::has_state(equation::function_term<F, E...>{}))
        static constexpr auto made(equation::function_term<F, E...> term) {
            return rewriting::rewrite<dropped_states>(term);
        }
        template <class L, class R>
            requires(reader::has_state(equation::function_term<operation::divide, L, R>{}))
        static constexpr auto made(equation::function_term<operation::divide, L, R>) {
            return rewriting::rewrite<on_the_left>(L{}) / rewriting::rewrite<dropped_states>(R{});
        }
    };

    template <class L, class M>
        requires(reader::is_product(L{}, M{}))
    static constexpr auto made(equation::function_term<operation::multiply, L, M>) {
        return rewriting::rewrite<on_the_left>(L{}) * M{};
    }
};

template <class Lines>
struct recurrent_dropout_of {
    using made = decltype(rewriting::rewrite<dropped_states<Lines>>(Lines{}));
    static constexpr bool is_any = !std::is_same_v<made, Lines>;
    static constexpr bool is_by_name = rewriting::contains<gate_with_state>(made{});
    using lines = std::conditional_t<is_by_name, Lines, made>;
};

} // namespace detail

template <page Page>
struct recurrent_dropout : Page {
    static constexpr bool is_once = !detail::has_masks<Page>(mask_kind::dropout);
    static_assert(is_once, "sluice: recurrent_dropout is given a page that has it already; use it once");

    using adapted = detail::recurrent_dropout_of<std::remove_cv_t<decltype(Page::equations)>>;
    static constexpr bool is_any = adapted::is_any;
    static_assert(is_any,
                  "sluice: recurrent_dropout is for states that are multiplied with a matrix, and these "
                  "equations have none; use the page as it is");
    static constexpr bool is_written_out = !adapted::is_by_name;
    static_assert(is_written_out,
                  "sluice: recurrent_dropout finds a gate made of a state left of a matrix, as in "
                  "a = r * h and a * R<>; write the state there itself, as in (r * h) * R<>");

    static constexpr typename adapted::lines equations{};
    static constexpr auto masks =
        detail::add_masks<Page, mask_kind::dropout, "dropout_">(typename adapted::lines{});
    static constexpr bool names_fit = detail::names_of_masks_fit<"dropout_">(typename adapted::lines{});
    static_assert(names_fit,
                  "sluice: dropout_ and the name of a state have more than 31 letters together; give "
                  "the state a shorter name");
};

} // namespace sluice
