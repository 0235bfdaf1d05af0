// SPDX-License-Identifier: BSL-1.0
// The states of all layers of a stack, [layers x directions, batch, width], row = layer x directions +
// direction.
//
//   state["h"_s]                  of layers of one page
//   state.get<0>()["c"_s]         of layers of different pages: those of layer 0, [directions, batch, width]
#pragma once

#include <algorithm>
#include <cstddef>
#include <sluice/core/shape.hpp>
#include <sluice/core/xtensor.hpp>
#include <sluice/parameter/parameters.hpp>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

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

namespace detail {

/// The states of a net, in the order of its places, by their names.
template <class State, class Tensor>
State by_name(std::vector<Tensor> all) {
    State state;
    std::size_t k = 0;
    for_each_parameter(state, [&](auto, auto& one) { one = std::move(all[k++]); });
    return state;
}

/// Where the states of layer `layer` of group I begin: the tensors, and their first row.
template <std::size_t I, class State>
auto& part_of(State& state) {
    if constexpr (requires { state.template get<I>(); })
        return state.template get<I>();
    else
        return state;
}

/// Row `row` of the states of a stack as the state of a cell, and back.
template <class Page, class S, class All>
state_map<Page, S> row_of_states(All const& all, std::size_t row) {
    state_map<Page, S> one;
    for (std::size_t k = 0; k < one.count; ++k) {
        auto const& from = all.tensors()[k];
        auto& tensor = one.tensors()[k];
        std::size_t const count = from.shape()[1] * from.shape()[2];
        tensor.resize({from.shape()[1], from.shape()[2]});
        std::copy_n(from.data() + row * count, count, tensor.data());
    }
    return one;
}
template <class All, class One>
void set_row_of_states(All& all, std::size_t row, One const& one) {
    for (std::size_t k = 0; k < one.count; ++k) {
        auto const& tensor = one.tensors()[k];
        std::copy_n(tensor.data(), tensor.size(), all.tensors()[k].data() + row * tensor.size());
    }
}

/// Zeros.
template <class Page, class S>
stacked_states<Page, S> zero_stacked_states(sizes const& n, std::size_t rows, std::size_t batch) {
    stacked_states<Page, S> states;
    for (std::size_t k = 0; k < states.count; ++k) {
        auto& tensor = states.tensors()[k];
        std::size_t const width = extent(passes<Page>::states[static_cast<int>(k)].columns, n);
        require_count("a state", {rows, batch, width});
        tensor.resize({rows, batch, width});
        std::fill_n(tensor.data(), tensor.size(), S(0));
    }
    return states;
}

} // namespace detail
} // namespace sluice
