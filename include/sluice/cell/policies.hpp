// SPDX-License-Identifier: BSL-1.0
// Policies of a cell, after its page, in any order, each once at the most:
//
//   float, double                       the scalar, in which numbers are kept; without one, float. Others,
//                                       such as 16-bit ones: core/arithmetic.hpp
//   sluice::xtensor::reference          a backend: a struct with a lowering; without one, the default
//   sluice::extents<sluice::sizes{.input = 3, .units = 5}>      sizes that are known at compile time
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/config.hpp>
#include <sluice/core/extents.hpp>
#include <sluice/expr/equations.hpp>
#include <tuple>
#include <type_traits>

namespace sluice {

/// Sizes as a type; any struct with such a member is one. A zero says "known at run time only".
template <sizes Known>
struct extents {
    static constexpr sizes known = Known;
};
/// All sizes are known at run time only.
struct open_extents {
    static constexpr sizes known{};
};

namespace detail {

enum class policy : unsigned char { none, scalar, backend, extents };

struct any_page;

template <class P>
constexpr policy kind_of() {
    if constexpr (storage_scalar<P>)
        return policy::scalar;
    else if constexpr (std::same_as<P, default_backend>) // which may be incomplete
        return policy::backend;
    else if constexpr (requires { typename P::template lowering<any_page, float>; })
        return policy::backend;
    else if constexpr (requires { requires std::same_as<decltype(P::known), sizes const>; })
        return policy::extents;
    else
        return policy::none;
}

/// The policies of a cell by what they are, so that their order makes no difference.
template <class... P>
struct policies {
    static constexpr std::array<policy, sizeof...(P)> kinds{kind_of<P>()...};
    static constexpr auto count(policy kind) { return std::count(kinds.begin(), kinds.end(), kind); }
    static_assert(
        count(policy::none) == 0,
        "sluice: a policy of a cell is a scalar such as double, a backend such as "
        "sluice::xtensor::reference, or sizes as in sluice::extents<sluice::sizes{.units = 5}>; "
        "one of the given types is none of these (a scalar of your own needs a sluice::arithmetic)");
    static_assert(count(policy::scalar) < 2 && count(policy::backend) < 2 && count(policy::extents) < 2,
                  "sluice: a cell has one scalar, one backend and one sluice::extents; give each once");

    static constexpr auto place(policy kind) {
        return static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin());
    }
    template <policy Kind, class Default>
    using get = std::tuple_element_t<place(Kind), std::tuple<P..., Default>>;

    using scalar = get<policy::scalar, float>;
    using backend = get<policy::backend, default_backend>;
    using extents = get<policy::extents, open_extents>;
};

template <class T>
concept base_class = std::is_class_v<T> && requires {
    sizeof(T);
} && !std::is_final_v<T>;

struct named_equations {
    int equations;
};
template <class Page>
struct page_or_named : Page, named_equations {};

/// Whether there is a member called equations, even one that the compiler has refused, and said so.
template <class Page>
constexpr bool names_equations() {
    if constexpr (base_class<Page>)
        return !requires {
            &page_or_named<Page>::equations;
        };
    else
        return false;
}

/// The page, or after a refusal one that nothing is wrong with.
template <class Page>
struct page_of_cell {
    static_assert(
        names_equations<Page>() && !requires { Page::equations; },
        "sluice: a cell is made of a page, a complete struct with "
        "static constexpr auto equations = sluice::lines(...); the given type is none");
    struct no_page {
        static constexpr auto equations = lines(equation::output = equation::x);
    };
    using type = no_page;
};
template <page Page>
struct page_of_cell<Page> {
    using type = Page;
};

} // namespace detail
} // namespace sluice
