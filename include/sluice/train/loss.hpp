// SPDX-License-Identifier: BSL-1.0
//
// A loss looks at rows: a prediction [rows, classes], or [time, batch, classes] with time * batch rows. Every
// row has a weight w_r, 1 if none are given:
//
//   loss = sum_r w_r l_r / sum_r w_r          0 if there is no row, or none with a weight
//
// What l_r is, and its gradient, says a rule (train/loss_rule.hpp):
//
//   auto const [loss, gradient] = loss_of(rule, predictions, targets or labels);      weights may follow
//
// All is computed in the arithmetic of the prediction's numbers, sums in double (core/arithmetic.hpp).
//
// A row of weight zero is not looked at: its numbers and labels may be anything, its gradient is zero.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/simd/batch_elementary.hpp>
#include <sluice/simd/lanes.hpp>
#include <sluice/train/loss_rule.hpp>
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
struct equal_weights {
    using value_type = equal_weights;
};

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

[[noreturn]] inline void refuse_label(std::string_view who, std::size_t classes, std::size_t row,
                                      sentence_part const& label) {
    fail<std::invalid_argument>({who, " expects labels from 0 to below ", classes,
                                 ", the number of classes, but the label of row ", row, " is ", label});
}
[[noreturn]] inline void refuse_moved(std::string_view who, std::string_view what) {
    fail<std::invalid_argument>({"what ", who, " is given as ", what, was_moved_from});
}

/// Adds the loss of a row times its share, and puts the gradient in the place of the row. Where a rule takes
/// batches, rows of at least one are computed in them; what is left of a row with targets is computed number
/// by number, and the last batch of a row with a label ends where the row does. Terms are added in double.
template <class Rule, class N,
          std::size_t Lanes = batches::takes_batches<Rule>&& batches::has_batches<N> ? batches::widest<N> : 1>
class loss_of_row {
    using batch = typename batches::simd<N, Lanes>::type;
    using sums = typename batches::simd<double, Lanes == 1 ? 1 : batches::doubles_of<N>>::type;

public:
    loss_of_row(Rule const& rule, std::size_t classes);

    void with_targets(N* y, N const* t, double of_row, double& loss);
    void with_label(N* z, std::size_t label, double share, double& loss);

private:
    loss_in<Rule, N> numbers_;
    loss_in<Rule, double> double_;
    loss_in<Rule, batch> batches_;
    loss_in<Rule, sums> sums_;
    std::size_t classes_;
    std::vector<N> parts_; ///< of a row with a label

    /// Numbers in a D.
    template <class D>
    static constexpr std::size_t width = sizeof(D) / sizeof(N);

    template <class D>
    static D load(N const* p) {
        if constexpr (std::is_arithmetic_v<D>)
            return static_cast<D>(*p);
        else
            return batches::load_as<D>(p);
    }
    template <class D>
    static void store(D const& z, N* p) {
        batches::simd<N, width<D>>::store(z, p);
    }

    /// f(c) for the first of the numbers that are computed together; the last may be computed twice.
    template <class D, class F>
    void for_each(F const& f) const {
        std::size_t const whole = classes_ - classes_ % width<D>;
        for (std::size_t c = 0; c < whole; c += width<D>)
            f(c);
        if (whole < classes_)
            f(classes_ - width<D>);
    }
    /// row[c ...] = f(c), where f reads the row: the last are computed before any is overwritten.
    template <class D, class F>
    void replace(N* const row, F const& f) const {
        std::size_t const whole = classes_ - classes_ % width<D>;
        D const last = whole < classes_ ? f(classes_ - width<D>) : D(0);
        for (std::size_t c = 0; c < whole; c += width<D>)
            store(f(c), row + c);
        if (whole < classes_)
            store(last, row + classes_ - width<D>);
    }

    /// The sum of the terms from `first` on, of as many numbers at once as a D has. y becomes the gradient.
    template <class D, class Sums>
    double sum_of_targets(loss_in<Rule, D> const& rule, loss_in<Rule, Sums> const& rule_of_sums, N* const y,
                          N const* const t, double share, std::size_t& first) const {
        constexpr std::size_t several = width<D>, of_sum = std::min(several, sizeof(Sums) / sizeof(double));
        static_assert(several <= 2 * of_sum);
        D const slope(static_cast<N>(double_.slope(share))), of_numbers(static_cast<N>(share));
        std::array<N, several> parts;
        Sums even(0), odd(0);
        auto const term = [&](std::size_t c, std::size_t i) {
            return rule_of_sums.term(load<Sums>(y + c + i), load<Sums>(t + c + i), load<Sums>(&parts[i]));
        };
        for (; first + several <= classes_; first += several) {
            std::size_t const c = first;
            D const predicted = load<D>(y + c), wanted = load<D>(t + c), part = rule.part(predicted, wanted);
            store(part, parts.data());
            even = even + term(c, 0);
            if constexpr (several > of_sum)
                odd = odd + term(c, of_sum);
            store(rule.gradient(predicted, wanted, part, slope, of_numbers), y + c);
        }
        if constexpr (of_sum == 1)
            return even + odd;
        else
            return batches::fold(even + odd, [](double a, double b) { return a + b; });
    }

    template <class D>
    double loss_of_label(loss_in<Rule, D> const& rule, N* const z, std::size_t k, double share) {
        N* const parts = parts_.data();
        N const largest = largest_of<D>(z), chosen = z[k];
        auto const most = static_cast<double>(largest), right = static_cast<double>(chosen);
        for_each<D>([&](std::size_t c) { store(rule.part(load<D>(z + c), D(largest)), parts + c); });
        double const sum = sum_of_terms<D>(z, most);
        N const slope = static_cast<N>(double_.slope(share, sum, right, most)),
                of_numbers = static_cast<N>(share);
        replace<D>(z, [&](std::size_t c) {
            return rule.gradient(load<D>(z + c), D(largest), load<D>(parts + c), D(slope), D(of_numbers));
        });
        z[k] = numbers_.gradient_of_label(chosen, largest, parts[k], slope, of_numbers, z[k]);
        return double_.loss(sum, right, most);
    }
    /// NaN is none of them.
    template <class D>
    N largest_of(N const* z) const {
        constexpr auto larger = [](N a, N b) { return a > b ? a : b; };
        D all(-std::numeric_limits<N>::infinity());
        for_each<D>([&](std::size_t c) {
            if constexpr (width<D> == 1)
                all = larger(z[c], all);
            else
                all = max(load<D>(z + c), all);
        });
        if constexpr (width<D> == 1)
            return all;
        else
            return batches::fold(all, larger);
    }
    template <class B>
    loss_in<Rule, B> const& rule_in() const {
        if constexpr (std::is_same_v<B, double>)
            return double_;
        else
            return sums_;
    }
    /// Of a row with a label, whose largest number is `most`.
    template <class D>
    double sum_of_terms(N const* z, double most) const {
        constexpr std::size_t lanes = std::is_same_v<D, N> ? 1 : batches::doubles_of<N>;
        return batches::sum_in_doubles<lanes>(classes_, [&]<class B>(B) {
            return [rule = rule_in<B>(), z, largest = B(most), parts = parts_.data()](std::size_t c) {
                return rule.term(load<B>(z + c), largest, load<B>(parts + c));
            };
        });
    }
};

// None of this is inline: a program that links the compiled runtime does not compile the losses there.

template <class Rule, class N, std::size_t Lanes>
loss_of_row<Rule, N, Lanes>::loss_of_row(Rule const& rule, std::size_t classes)
    : numbers_(loss_with_constants<Rule, N>(constants_of_loss(rule))),
      double_(loss_with_constants<Rule, double>(constants_of_loss(rule))),
      batches_(loss_with_constants<Rule, batch, N>(constants_of_loss(rule))),
      sums_(loss_with_constants<Rule, sums, double>(constants_of_loss(rule))), classes_(classes),
      parts_(Rule::has_labels ? classes : 0) {}

template <class Rule, class N, std::size_t Lanes>
void loss_of_row<Rule, N, Lanes>::with_targets(N* const y, N const* const t, double of_row, double& loss) {
    double const share = classes_ > 0 ? of_row / static_cast<double>(classes_) : 0;
    if (!(share > 0)) {
        std::fill_n(y, classes_, N{0});
        return;
    }
    std::size_t first = 0;
    double sum = 0;
    if (Lanes > 1 && classes_ >= Lanes)
        sum = sum_of_targets(batches_, sums_, y, t, share, first);
    loss += share * (sum + sum_of_targets(numbers_, double_, y, t, share, first));
}

template <class Rule, class N, std::size_t Lanes>
void loss_of_row<Rule, N, Lanes>::with_label(N* const z, std::size_t label, double share, double& loss) {
    if (!(share > 0))
        std::fill_n(z, classes_, N{0});
    else if (classes_ < Lanes)
        loss += share * loss_of_label(numbers_, z, label, share);
    else
        loss += share * loss_of_label(batches_, z, label, share);
}

template <class Rule, class Y, class T, class W>
auto loss_of_tensors(Rule const& rule, Y const& predictions, T const& beside, W const& weights) {
    using scalar = typename Y::value_type;
    using number = arithmetic_of<scalar>;
    using wanted = typename T::value_type;
    constexpr bool has_labels = Rule::has_labels;
    static_assert(storage_scalar<scalar>, "sluice: a loss expects floating-point predictions");
    static_assert(!has_labels || (std::is_integral_v<wanted> && !std::is_same_v<wanted, bool>),
                  "sluice: a loss with labels expects integers, one for each row of the logits");
    constexpr auto rank = rank_of<Y>;
    static_assert(rank == 2 || rank == 3,
                  "sluice: a loss expects predictions [rows, classes] or [time, batch, classes]");
    using beside_tensor = xt::xtensor<std::conditional_t<has_labels, wanted, number>, rank - has_labels>;

    if (!has_numbers(predictions))
        refuse_moved(Rule::name, loss_predictions<Rule>);
    if (!has_numbers(beside))
        refuse_moved(Rule::name, loss_beside<Rule>);
    xt::xtensor<number, rank> gradient = widened_tensor(predictions);
    auto const rows = rows_shape(gradient.shape());
    if constexpr (has_labels)
        require_same_shape(Rule::name, "labels", rows, beside.shape());
    else
        require_same_shape(Rule::name, "targets", gradient.shape(), beside.shape());
    auto const shares = row_weights(Rule::name, rows, weights);
    beside_tensor const& all_beside = as_tensor<beside_tensor>(beside);
    std::size_t const classes = gradient.shape()[rank - 1];
    if constexpr (has_labels)
        for (std::size_t row = 0; row < shares.size(); ++row) {
            wanted const k = all_beside.data()[row];
            if (shares[row] > 0 && (k < wanted{0} || static_cast<std::uintmax_t>(k) >= classes))
                refuse_label(Rule::name, classes, row, k);
        }

    loss_of_row<Rule, number> of_row(rule, classes);
    double loss = 0;
    for (std::size_t row = 0; row < shares.size(); ++row) {
        number* const y = gradient.data() + row * classes;
        if constexpr (has_labels)
            of_row.with_label(y, static_cast<std::size_t>(all_beside.data()[row]), shares[row], loss);
        else
            of_row.with_targets(y, all_beside.data() + row * classes, shares[row], loss);
    }
    return loss_with<scalar>(loss, std::move(gradient));
}

} // namespace detail

/// The loss of a rule, with targets of the predictions' shape or a label for each of their rows. Throws
/// `std::invalid_argument` for other shapes, labels that are no class, and weights without a meaning.
template <class Rule, class Y, class T, class W = detail::equal_weights>
auto loss_of(Rule const& rule, xt::xexpression<Y> const& predictions, xt::xexpression<T> const& beside,
             W const& weights = {}) {
    return detail::loss_of_tensors(rule, predictions.derived_cast(), beside.derived_cast(), weights);
}

} // namespace sluice
