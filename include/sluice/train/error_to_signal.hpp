// SPDX-License-Identifier: BSL-1.0
//
// The error of a signal against the energy of its target, after a first-order high-pass, and the error of its
// mean (Wright and Valimaki, "Perceptual loss function for neural modelling of audio systems", ICASSP 2020,
// arXiv 1911.08922). Of predictions y and targets t, [time, batch, channels], of N numbers:
//
//   d     = y - t,  e_t = d_t - c d_t-1              H(z) = 1 - c z^-1, the pre-emphasis
//   ESR   = sum e^2 / (N E_H)                        E_H = max(mean H(t)^2, floor)
//   DC    = mean over sequences (mean_t d)^2 / E     E = max(mean t^2, floor)
//   loss  = ESR + w DC
//   d loss/d y_t = 2 (e_t - c e_t+1) / (N E_H) + w 2 (mean_t d) / (N E)          e after the end is 0
//
// It is a function and no rule of rows (train/loss_rule.hpp): each number counts with the one before it in
// time, and all are divided by the energy of the target.
//
// Sums and means go over the whole batch, so that a quiet sequence in it does not count more than a loud one.
// Recordings have pauses. A part of nothing else has an energy of about 0, and its error over that would
// drown all others in training: a floor keeps it finite, and the net still learns to be silent there. With a
// floor of 0 the value is the plain quotient, and a silent target is refused.
//
// Before the first time step both signals are 0, as at the start of a recording. In a part that continues
// another they are that one's last numbers: without them the filter would take the first sample of each part
// for a jump.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/train/loss.hpp>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

/// Settings of error_to_signal.
struct error_to_signal_options {
    double pre_emphasis = 0.85; ///< c of H(z) = 1 - c z^-1, from -1 to 1; 0: no filter
    double dc = 1;              ///< w, the weight of the error of the mean; 0: without it
    double floor = 1e-6;        ///< mean squares below count as this; 0: none, and silence is refused
};

namespace detail {

inline constexpr std::string_view error_to_signal_name = "error_to_signal";

inline void require_options(error_to_signal_options const& o) {
    if (!(std::abs(o.pre_emphasis) <= 1))
        fail<std::invalid_argument>(
            {error_to_signal_name, " expects a pre_emphasis from -1 to 1, but it is ", o.pre_emphasis});
    if (!(o.dc >= 0) || !std::isfinite(o.dc))
        fail<std::invalid_argument>(
            {error_to_signal_name, " expects a finite dc of at least 0, but it is ", o.dc});
    if (!(o.floor >= 0) || !std::isfinite(o.floor))
        fail<std::invalid_argument>(
            {error_to_signal_name, " expects a finite floor of at least 0, but it is ", o.floor});
}

/// A mean square that errors are divided by.
inline double energy_of_signal(double mean_square, double floor) {
    if (!std::isfinite(mean_square))
        fail<std::invalid_argument>(
            {error_to_signal_name, " expects finite targets, but their mean square is ", mean_square});
    if (mean_square == 0 && floor == 0)
        fail<std::invalid_argument>(
            {error_to_signal_name, " expects a target that is not silent where its floor is 0, but all is 0; "
                                   "give it a floor"});
    return std::max(mean_square, floor);
}

/// Rows of `width` sequences side by side; y becomes the gradient. What was before may be null.
template <class N>
double error_to_signal_of(N* y, N const* t, std::size_t steps, std::size_t width, N const* y_before,
                          N const* t_before, error_to_signal_options const& o) {
    double const c = o.pre_emphasis;
    double filtered = 0, squares = 0, error = 0;
    std::vector<double> sums(width), last_t(width), last_d(width); // last_d: of the step before
    for (std::size_t k = 0; k < width && t_before != nullptr; ++k) {
        last_t[k] = static_cast<double>(t_before[k]);
        last_d[k] = static_cast<double>(y_before[k]) - last_t[k];
    }
    for (std::size_t s = 0; s < steps; ++s)
        for (std::size_t k = 0; k < width; ++k) {
            std::size_t const at = s * width + k;
            double const target = static_cast<double>(t[at]);
            double const d = static_cast<double>(y[at]) - target, e = d - c * last_d[k];
            double const h = target - c * last_t[k];
            squares += target * target;
            filtered += h * h;
            error += e * e;
            sums[k] += d;
            last_d[k] = d;
            last_t[k] = target;
            y[at] = static_cast<N>(e);
        }
    double const count = static_cast<double>(steps) * static_cast<double>(width);
    if (count == 0)
        return 0;
    double const of_filtered = 1 / (count * energy_of_signal(filtered / count, o.floor));
    double const of_mean = o.dc == 0 ? 0 : o.dc / (count * energy_of_signal(squares / count, o.floor));
    double mean_error = 0;
    for (double& sum : sums) {
        sum /= static_cast<double>(steps);
        mean_error += sum * sum;
    }
    for (std::size_t s = 0; s < steps; ++s)
        for (std::size_t k = 0; k < width; ++k) {
            std::size_t const at = s * width + k;
            double const next = s + 1 < steps ? static_cast<double>(y[at + width]) : 0;
            double const e = static_cast<double>(y[at]) - c * next;
            y[at] = static_cast<N>(2 * (of_filtered * e + of_mean * sums[k]));
        }
    return of_filtered * error + of_mean * static_cast<double>(steps) * mean_error;
}

/// Where there is nothing before a part.
struct nothing_before {};

template <class N>
N const* numbers_before(nothing_before) {
    return nullptr;
}
template <class N, class E>
N const* numbers_before(E const& tensor) {
    return tensor.data();
}
template <class N, std::size_t Rank, class E>
decltype(auto) tensor_before(std::string_view what, std::array<std::size_t, Rank> const& shape,
                             E const& given) {
    if constexpr (std::is_same_v<E, nothing_before>)
        return nothing_before{};
    else {
        static_assert(rank_of<E> == 2,
                      "sluice: error_to_signal expects what was before as [batch, channels]");
        if (!has_numbers(given))
            refuse_moved(error_to_signal_name, what);
        require_same_shape(error_to_signal_name, what, std::array{shape[1], shape[2]}, given.shape());
        return xt::xtensor<N, 2>(xt::cast<N>(widened_tensor(given)));
    }
}

template <class Y, class T, class YB, class TB>
auto error_to_signal_of_tensors(Y const& predictions, T const& targets,
                                error_to_signal_options const& options, YB const& predictions_before,
                                TB const& targets_before) {
    using scalar = typename Y::value_type;
    using number = arithmetic_of<scalar>;
    static_assert(storage_scalar<scalar>, "sluice: a loss expects floating-point predictions");
    static_assert(rank_of<Y> == 3, "sluice: error_to_signal expects predictions [time, batch, channels]");
    require_options(options);
    if (!has_numbers(predictions))
        refuse_moved(error_to_signal_name, "predictions");
    if (!has_numbers(targets))
        refuse_moved(error_to_signal_name, "targets");
    xt::xtensor<number, 3> gradient = widened_tensor(predictions);
    auto const shape = gradient.shape();
    require_same_shape(error_to_signal_name, "targets", shape, targets.shape());
    xt::xtensor<number, 3> const& t = as_tensor<xt::xtensor<number, 3>>(targets);
    auto const y_before = tensor_before<number>("predictions before", shape, predictions_before);
    auto const t_before = tensor_before<number>("targets before", shape, targets_before);
    double const loss = error_to_signal_of<number>(gradient.data(), t.data(), shape[0], shape[1] * shape[2],
                                                   numbers_before<number>(y_before),
                                                   numbers_before<number>(t_before), options);
    return loss_with<scalar>(loss, std::move(gradient));
}

} // namespace detail

/// ESR + w DC of tensors on the host, [time, batch, channels], and its gradient with respect to the
/// predictions. 0 where there is no number. Throws `std::invalid_argument` for other shapes, settings without
/// a meaning, a target whose energy is not finite, and a silent one where the floor is 0.
template <class Y, class T>
auto error_to_signal(xt::xexpression<Y> const& predictions, xt::xexpression<T> const& targets,
                     error_to_signal_options const& options = {}) {
    return detail::error_to_signal_of_tensors(predictions.derived_cast(), targets.derived_cast(), options,
                                              detail::nothing_before{}, detail::nothing_before{});
}
/// The same of a part that continues another, whose last predictions and targets, [batch, channels], are
/// given. No gradient goes back to them.
template <class Y, class T, class YB, class TB>
auto error_to_signal(xt::xexpression<Y> const& predictions, xt::xexpression<T> const& targets,
                     error_to_signal_options const& options, xt::xexpression<YB> const& predictions_before,
                     xt::xexpression<TB> const& targets_before) {
    return detail::error_to_signal_of_tensors(predictions.derived_cast(), targets.derived_cast(), options,
                                              predictions_before.derived_cast(),
                                              targets_before.derived_cast());
}

} // namespace sluice
