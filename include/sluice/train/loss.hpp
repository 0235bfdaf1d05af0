// SPDX-License-Identifier: BSL-1.0
//
// What the losses share. A loss looks at rows: a prediction [rows, classes], or [time, batch, classes] with
// time * batch rows. Every row has a weight w_r, 1 if none are given:
//
//   loss = sum_r w_r l_r / sum_r w_r          0 if there is no row, or none with a weight
//
// All is computed in the arithmetic of the prediction's numbers, sums in double (core/arithmetic.hpp).
//
// A row of weight zero is not looked at: its numbers and labels may be anything, its gradient is zero.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/core/shape.hpp>
#include <sluice/core/xtensor.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

/// A loss, and its gradient with respect to the prediction: the same shape.
template <class Tensor>
struct loss_and_gradient {
    double value = 0;
    Tensor gradient;

    double loss() const { return value; }
};

/// Weights [time, batch] for sequences of unequal length: 1 where t < lengths[b], else 0.
template <class S = double>
xt::xtensor<S, 2> sequence_mask(std::size_t time, std::span<std::size_t const> lengths) {
    for (std::size_t b = 0; b < lengths.size(); ++b)
        if (lengths[b] > time)
            fail<std::invalid_argument>({"sequence_mask expects lengths of at most ", time,
                                         " time steps, but sequence ", b, " has length ", lengths[b]});
    if (!lengths.empty() && time > std::size_t{PTRDIFF_MAX} / sizeof(S) / lengths.size())
        fail<std::invalid_argument>({"sequence_mask expects sizes that memory can hold, but there are ", time,
                                     " time steps of ", lengths.size(), " sequences"});
    auto mask = xt::xtensor<S, 2>::from_shape({time, lengths.size()});
    for (std::size_t b = 0; b < lengths.size(); ++b)
        for (std::size_t t = 0; t < time; ++t)
            mask(t, b) = t < lengths[b] ? S{1} : S{0};
    return mask;
}

namespace detail {

/// The shape without its last dimension.
template <std::size_t N>
std::array<std::size_t, N - 1> rows_shape(std::array<std::size_t, N> const& shape) {
    std::array<std::size_t, N - 1> rows{};
    for (std::size_t i = 0; i + 1 < N; ++i)
        rows[i] = shape[i];
    return rows;
}

/// The values of an expression in a tensor; they are not copied if they are in one.
template <class Tensor, class E>
decltype(auto) as_tensor(E const& values) {
    if constexpr (std::is_same_v<E, Tensor>)
        return static_cast<E const&>(values);
    else
        return Tensor(xt::cast<typename Tensor::value_type>(widened_tensor(values)));
}

/// A gradient that was computed in arithmetic, in the numbers of the prediction.
template <class Scalar, class Gradient>
auto loss_with(double loss, Gradient gradient) {
    using kept = xt::xtensor<Scalar, rank_of<Gradient>>;
    if constexpr (is_own_arithmetic<Scalar>)
        return loss_and_gradient<kept>{loss, std::move(gradient)};
    else
        return loss_and_gradient<kept>{loss, rounded_tensor<Scalar>(gradient)};
}

/// The weights of rows that count alike.
struct equal_weights {};

template <std::size_t N>
std::vector<double> row_weights(std::string_view, std::array<std::size_t, N> const& rows, equal_weights) {
    std::size_t count = 1;
    for (std::size_t const extent : rows)
        count *= extent;
    return std::vector<double>(count, 1 / static_cast<double>(count));
}
[[noreturn]] inline void refuse_weight(std::string_view who, double weight) {
    fail<std::invalid_argument>({who, " expects finite weights of at least 0, but one is ", weight});
}
inline void require_finite_sum(std::string_view who, double sum) {
    if (!std::isfinite(sum))
        fail<std::invalid_argument>({who, " expects weights with a finite sum; make them smaller"});
}
/// w_r / sum w, checked; all zero if the sum is.
template <std::size_t N, class W>
std::vector<double> row_weights(std::string_view who, std::array<std::size_t, N> const& rows,
                                W const& weights) {
    require_same_shape(who, "weights", rows, weights.shape());
    if (!has_numbers(weights))
        fail<std::invalid_argument>({"what ", who, " is given as weights", was_moved_from});
    xt::xtensor<double, N> const& values = as_tensor<xt::xtensor<double, N>>(weights);
    double sum = 0;
    for (double w : values) {
        if (!(w >= 0) || !std::isfinite(w))
            refuse_weight(who, w);
        sum += w;
    }
    require_finite_sum(who, sum);
    std::vector<double> shares(values.begin(), values.end());
    for (double& share : shares)
        share = sum > 0 ? share / sum : 0;
    return shares;
}

} // namespace detail

} // namespace sluice
