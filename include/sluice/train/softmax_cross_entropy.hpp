// SPDX-License-Identifier: BSL-1.0
//
// Softmax cross-entropy in nats, of logits z [rows, C] or [time, batch, C] and one integer label k per row:
//
//   m           = max_c z_c
//   l_r         = log sum_c exp(z_c - m) - (z_k - m)
//   loss        = sum_r w_r l_r / sum_r w_r
//   d loss/d z  = (exp(z_c - m) / sum exp(z - m) - [c = k]) w_r / sum w
//
// No exponential overflows, whatever the logits; a logit of -inf is a class that cannot be. Logits that are
// NaN or +inf make the loss NaN.
#pragma once

#include <algorithm>
#include <cstdint>
#include <sluice/core/fail.hpp>
#include <sluice/core/xtensor.hpp>
#include <sluice/train/loss.hpp>

namespace sluice {

namespace detail {

[[noreturn]] inline void refuse_label(std::size_t classes, std::size_t row, sentence_part const& label) {
    fail<std::invalid_argument>({"softmax_cross_entropy expects labels from 0 to below ", classes,
                                 ", the number of classes, but the label of row ", row, " is ", label});
}

template <class Z, class K, class W>
auto softmax_cross_entropy_of(Z const& logits, K const& labels, W const& weights) {
    using scalar = typename Z::value_type;
    using number = arithmetic_of<scalar>;
    using label = typename K::value_type;
    static_assert(storage_scalar<scalar>, "sluice: softmax_cross_entropy expects floating-point logits");
    static_assert(std::is_integral_v<label> && !std::is_same_v<label, bool>,
                  "sluice: softmax_cross_entropy expects integer labels, one for each row of the logits");
    constexpr auto rank = rank_of<Z>;
    static_assert(rank == 2 || rank == 3,
                  "sluice: softmax_cross_entropy expects logits [rows, classes] or [time, batch, classes]");

    require_numbers("what softmax_cross_entropy is given as logits", logits);
    require_numbers("what softmax_cross_entropy is given as labels", labels);
    xt::xtensor<number, rank> gradient = widened_tensor(logits);
    auto const rows = rows_shape(gradient.shape());
    std::size_t const classes = gradient.shape()[rank - 1];
    require_same_shape("softmax_cross_entropy", "labels", rows, labels.shape());
    auto const shares = row_weights("softmax_cross_entropy", rows, weights);
    xt::xtensor<label, rank - 1> const& wanted = as_tensor<xt::xtensor<label, rank - 1>>(labels);
    for (std::size_t row = 0; row < shares.size(); ++row) {
        label const k = wanted.data()[row];
        if (shares[row] > 0 && (k < label{0} || static_cast<std::uintmax_t>(k) >= classes))
            refuse_label(classes, row, k);
    }

    double loss = 0;
    for (std::size_t row = 0; row < shares.size(); ++row) {
        number* const z = gradient.data() + row * classes;
        if (!(shares[row] > 0)) {
            std::fill_n(z, classes, number{0});
            continue;
        }
        auto const k = static_cast<std::size_t>(wanted.data()[row]);
        number const largest = *std::max_element(z, z + classes);
        double const chosen = static_cast<double>(z[k]) - static_cast<double>(largest);
        double sum = 0;
        for (std::size_t c = 0; c < classes; ++c) {
            z[c] = std::exp(z[c] - largest);
            sum += static_cast<double>(z[c]);
        }
        loss += shares[row] * (std::log(sum) - chosen);
        auto const slope = static_cast<number>(shares[row] / sum);
        for (std::size_t c = 0; c < classes; ++c)
            z[c] *= slope;
        z[k] -= static_cast<number>(shares[row]);
    }
    return loss_with<scalar>(loss, std::move(gradient));
}

} // namespace detail

template <class Z, class K, class W>
auto softmax_cross_entropy(xt::xexpression<Z> const& logits, xt::xexpression<K> const& labels,
                           xt::xexpression<W> const& weights) {
    return detail::softmax_cross_entropy_of(logits.derived_cast(), labels.derived_cast(),
                                            weights.derived_cast());
}
template <class Z, class K>
auto softmax_cross_entropy(xt::xexpression<Z> const& logits, xt::xexpression<K> const& labels) {
    return detail::softmax_cross_entropy_of(logits.derived_cast(), labels.derived_cast(),
                                            detail::equal_weights{});
}

} // namespace sluice
