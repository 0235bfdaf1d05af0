// SPDX-License-Identifier: BSL-1.0
// The activations of a set of equations as a list of types, closed under differentiation: with relu comes
// step, with softplus comes sigmoid. The graph names an activation by its place in the list.
#pragma once

#include <cstddef>
#include <sluice/expr/equations.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sluice {

template <class... F>
struct activation_list {
    static constexpr std::size_t size = sizeof...(F);

    template <class G>
    static constexpr bool contains = (std::is_same_v<F, G> || ...);

    /// The place of G in the list.
    template <class G>
    static constexpr int find() {
        int place = 0;
        (void)((std::is_same_v<F, G> ? false : (++place, true)) && ...);
        return place;
    }

    template <int Place>
    using at = std::tuple_element_t<static_cast<std::size_t>(Place), std::tuple<F...>>;

    /// Calls `f(F{})` with the activation in that place.
    template <class Function>
    static constexpr void visit(int place, Function&& f) {
        int i = 0;
        (void)((i++ == place ? (f(F{}), true) : false) || ...);
    }

    static constexpr std::string_view name(int place) {
        std::string_view result;
        visit(place, [&](auto activation) { result = decltype(activation)::name; });
        return result;
    }
};

namespace detail {

/// Stands for z (0) and y = value(z) (1) in a derivative.
template <int Place>
struct placeholder : equation::term {};

template <class G>
using derivative_of = decltype(G::derivative(placeholder<0>{}, placeholder<1>{}));

template <class List, class G>
struct include;

template <class List, class E>
struct collect {
    using type = List;
};
template <class List, class E>
using collect_t = typename collect<List, E>::type;

template <class List, equation::operation Op, class L, class R>
struct collect<List, equation::binary_term<Op, L, R>> {
    using type = collect_t<collect_t<List, L>, R>;
};
template <class List, class E>
struct collect<List, equation::negative_term<E>> {
    using type = collect_t<List, E>;
};
template <class List, class G, class E>
struct collect<List, equation::applied_term<G, E>> {
    using type = typename include<collect_t<List, E>, G>::type;
};
template <class List, class Key, class E>
struct collect<List, equation::gate_definition<Key, E>> {
    using type = collect_t<List, E>;
};
template <class List, class Key, width Width, class E>
struct collect<List, equation::state_update<Key, Width, E>> {
    using type = collect_t<List, E>;
};
template <class List, class E>
struct collect<List, equation::output_definition<E>> {
    using type = collect_t<List, E>;
};
template <class List>
struct collect<List, equation_set<>> {
    using type = List;
};
template <class List, class First, class... Rest>
struct collect<List, equation_set<First, Rest...>> {
    using type = collect_t<collect_t<List, First>, equation_set<Rest...>>;
};

/// The list with G and all that its derivatives need.
template <class... F, class G>
struct include<activation_list<F...>, G> {
    template <class, bool There>
    struct step {
        using type = activation_list<F...>;
    };
    template <class Unused>
    struct step<Unused, false> {
        using type = collect_t<activation_list<F..., G>, derivative_of<G>>;
    };
    using type = typename step<void, activation_list<F...>::template contains<G>>::type;
};

} // namespace detail

template <class Equations>
using activations_of = detail::collect_t<activation_list<>, Equations>;

} // namespace sluice
