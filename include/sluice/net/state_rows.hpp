// SPDX-License-Identifier: BSL-1.0
// The states of a cell, [batch, width] each, as a net has them, [1, batch, width] each, and back.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <sluice/core/xtensor.hpp>
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
void states_of_rows(std::vector<xt::xtensor<S, 3>> all, std::span<xt::xtensor<S, 2>> to) {
    for (std::size_t k = 0; k < to.size(); ++k)
        move_numbers(all[k], {all[k].shape()[1], all[k].shape()[2]}, to[k]);
}

} // namespace sluice::detail
