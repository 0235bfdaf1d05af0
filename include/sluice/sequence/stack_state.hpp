// SPDX-License-Identifier: BSL-1.0
// The states of all layers of a stack, [layers x directions, batch, width], row = layer x directions +
// direction.
//
//   state["h"_s]                  of layers of one page
//   state.get<0>()["c"_s]         of layers of different pages: those of layer 0, [directions, batch, width]
#pragma once

#include <cstddef>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/parameter/parameters.hpp>
#include <tuple>
#include <utility>

namespace sluice {
namespace detail {

template <class Page, class S>
struct stacked_states_of {
    using tensor = xt::xtensor<S, 3>;
    static constexpr auto const& entries = passes<Page>::states;
};

} // namespace detail

/// name -> [rows, batch, width] for every state of a page.
template <class Page, class S>
using stacked_states = named_tensors<detail::stacked_states_of<Page, S>>;

/// The states of one layer after the other, of different pages: a map for each.
template <class... Maps>
class layered_states {
public:
    using tensor = typename std::tuple_element_t<0, std::tuple<Maps...>>::tensor;

    template <std::size_t Layer>
    auto& get() {
        return std::get<Layer>(layers_);
    }
    template <std::size_t Layer>
    auto const& get() const {
        return std::get<Layer>(layers_);
    }

private:
    std::tuple<Maps...> layers_{};
};
template <class S, class... Pages>
using states_by_layer = layered_states<stacked_states<Pages, S>...>;

namespace detail {

template <class States>
inline constexpr bool are_by_layer = false;
template <class... Maps>
inline constexpr bool are_by_layer<layered_states<Maps...>> = true;

/// f(the states of a layer, and the same of others)
template <class... Maps, class F, class... More>
void for_each_of(layered_states<Maps...> const*, F&& f, More&... states) {
    auto const of = [&](auto layer) { f(states.template get<layer()>()...); };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (of(std::integral_constant<std::size_t, I>{}), ...);
    }
    (std::index_sequence_for<Maps...>{});
}

} // namespace detail

/// f(key, tensor) for every state of every layer.
template <class States, class F>
    requires detail::are_by_layer<std::remove_const_t<States>>
void for_each_parameter(States& states, F&& f) {
    detail::for_each_of(
        &states, [&](auto& of_layer) { for_each_parameter(of_layer, f); }, states);
}
/// f(key, tensor of a, tensor of b)
template <class A, class B, class F>
    requires detail::are_by_layer<std::remove_const_t<A>>
void for_each_parameter(A& a, B& b, F&& f) {
    detail::for_each_of(
        &a, [&](auto& of_a, auto& of_b) { for_each_parameter(of_a, of_b, f); }, a, b);
}

} // namespace sluice
