// SPDX-License-Identifier: BSL-1.0
//
// Mean squared error of predictions y and targets t, [rows, C] or [time, batch, C]:
//
//   l_r         = 1/C sum_c (y_rc - t_rc)^2
//   loss        = sum_r w_r l_r / sum_r w_r
//   d loss/d y  = 2 (y - t) w_r / (C sum w)
#pragma once

#include <sluice/core/xtensor.hpp>
#include <sluice/train/loss.hpp>

namespace sluice {

namespace detail {

template <class Y, class T, class W>
auto mean_squared_error_of(Y const& predictions, T const& targets, W const& weights) {
    using scalar = typename Y::value_type;
    using number = arithmetic_of<scalar>;
    static_assert(storage_scalar<scalar>, "sluice: mean_squared_error expects floating-point predictions");
    constexpr auto rank = rank_of<Y>;
    static_assert(rank == 2 || rank == 3,
                  "sluice: mean_squared_error expects predictions [rows, classes] or [time, batch, classes]");
    using tensor = xt::xtensor<number, rank>;

    require_numbers("what mean_squared_error is given as predictions", predictions);
    require_numbers("what mean_squared_error is given as targets", targets);
    tensor gradient = widened_tensor(predictions);
    require_same_shape("mean_squared_error", "targets", gradient.shape(), targets.shape());
    auto const shares = row_weights("mean_squared_error", rows_shape(gradient.shape()), weights);
    tensor const& wanted = as_tensor<tensor>(targets);

    std::size_t const classes = gradient.shape()[rank - 1];
    double loss = 0;
    for (std::size_t row = 0; row < shares.size(); ++row) {
        number* const y = gradient.data() + row * classes;
        number const* const t = wanted.data() + row * classes;
        double const share = classes > 0 ? shares[row] / static_cast<double>(classes) : 0;
        auto const slope = static_cast<number>(2 * share);
        double squares = 0;
        for (std::size_t c = 0; c < classes; ++c) {
            number const difference = share > 0 ? y[c] - t[c] : number{0};
            squares += static_cast<double>(difference) * static_cast<double>(difference);
            y[c] = slope * difference;
        }
        loss += share * squares;
    }
    return loss_with<scalar>(loss, std::move(gradient));
}

} // namespace detail

template <class Y, class T, class W>
auto mean_squared_error(xt::xexpression<Y> const& predictions, xt::xexpression<T> const& targets,
                        xt::xexpression<W> const& weights) {
    return detail::mean_squared_error_of(predictions.derived_cast(), targets.derived_cast(),
                                         weights.derived_cast());
}
template <class Y, class T>
auto mean_squared_error(xt::xexpression<Y> const& predictions, xt::xexpression<T> const& targets) {
    return detail::mean_squared_error_of(predictions.derived_cast(), targets.derived_cast(),
                                         detail::equal_weights{});
}

} // namespace sluice
