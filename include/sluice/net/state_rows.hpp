// SPDX-License-Identifier: BSL-1.0
// States by their names as a net has them, a list of [rows, batch, width], and back. Those of a cell by
// itself are [batch, width] each: one row.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/core/xtensor_headers.hpp>
#include <span>
#include <utility>
#include <vector>

namespace sluice::detail {

/// to[shape] = the numbers of `from`, which is gone afterwards.
template <class S>
void move_numbers(xt::xtensor<S, 3>& from, std::array<std::size_t, 2> const& shape, xt::xtensor<S, 2>& to) {
    to.storage() = std::move(from.storage());
    to.resize(shape);
}

/// Where the numbers of tensors lie.
template <class T, class Tensors>
std::vector<T*> addresses(Tensors&& tensors) {
    std::vector<T*> all;
    for (auto& one : tensors)
        all.push_back(one.data());
    return all;
}

template <class S>
std::vector<xt::xtensor<S, 3>> rows_of_states(std::span<xt::xtensor<S, 2> const> states) {
    std::vector<xt::xtensor<S, 3>> all;
    for (auto const& one : states) {
        auto& made = all.emplace_back();
        made.resize({std::size_t(1), one.shape()[0], one.shape()[1]});
        std::copy_n(one.data(), one.size(), made.data());
    }
    return all;
}
template <class S>
void states_of_rows(std::vector<xt::xtensor<S, 3>>&& all, std::span<xt::xtensor<S, 2>> to) {
    for (std::size_t k = 0; k < to.size(); ++k)
        move_numbers(all[k], {all[k].shape()[1], all[k].shape()[2]}, to[k]);
}

/// f(k, tensor) for every state.
template <class State, class F>
void for_each_state(State& states, F const& f) {
    std::size_t k = 0;
    if constexpr (requires { states.tensors(); })
        for (auto& one : states.tensors())
            f(k++, one);
    else
        for_each_parameter(states, [&](auto, auto& one) { f(k++, one); });
}

template <class Tensor>
inline constexpr bool is_of_one_row = false;
template <class S>
inline constexpr bool is_of_one_row<xt::xtensor<S, 2>> = true;

template <class State>
auto listed(State const& from) {
    using tensor = typename State::tensor;
    if constexpr (is_of_one_row<tensor>)
        return rows_of_states<typename tensor::value_type>(from.tensors());
    else {
        std::vector<tensor> all;
        for_each_state(from, [&](std::size_t, tensor const& one) { all.push_back(one); });
        return all;
    }
}
template <class State, class Tensor>
State by_name(std::vector<Tensor>&& all) {
    State found;
    if constexpr (is_of_one_row<typename State::tensor>)
        states_of_rows<typename Tensor::value_type>(std::move(all), found.tensors());
    else
        for_each_state(found, [&](std::size_t k, auto& one) { one = std::move(all[k]); });
    return found;
}

} // namespace sluice::detail
