// SPDX-License-Identifier: BSL-1.0
//
// A penalty on numbers: on parameters (train/penalty.hpp), or on activity (train/activity.hpp).
//
//   penalty  = l1 sum |w| + l2 sum w^2
//   gradient = l1 sign(w) + 2 l2 w          with sign(0) = 0
//
// Mind the factor when moving from tf.contrib.layers: its l2_regularizer(scale) is scale/2 sum w^2.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/expr/operation.hpp>
#include <sluice/simd/lanes.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace sluice {

struct regularizer {
    double l1 = 0;
    double l2 = 0;

    friend constexpr bool operator==(regularizer const&, regularizer const&) = default;

    /// Refuses factors that are negative or not finite.
    void check() const {
        for (double const factor : {l1, l2})
            if (!(factor >= 0) || !std::isfinite(factor))
                fail<std::invalid_argument>({"regularizer: expected finite factors of at least 0, but l1 is ",
                                             l1, " and l2 is ", l2});
    }

    /// Summed in double.
    template <storage_scalar S>
    double penalty(std::span<S> values) const {
        check();
        return sum_of_terms<batches::doubles_of<S>>(values);
    }

    /// gradient += d penalty / d values
    template <storage_scalar S, storage_scalar G>
        requires(!std::is_const_v<G>)
    void add_gradient(std::span<S> values, std::span<G> gradient) const {
        check();
        if (values.size() != gradient.size())
            fail<std::invalid_argument>({"regularizer: expected a gradient of ", values.size(),
                                         " numbers, as many as the parameter has, but it has ",
                                         gradient.size()});
        add_slopes<std::min(batches::doubles_of<S>, batches::doubles_of<G>)>(values, gradient);
    }

    // What one number costs, and the slope there. The host computes in doubles, and a device with numbers
    // that write down how they are computed (source/traced.hpp). A factor of zero switches its term off,
    // whatever the number is.

    template <class N>
    std::array<N, 2> factors() const {
        return {N(l1), N(l2)};
    }
    template <class N>
    static N term(std::array<N, 2> const& factor, N const& w) {
        return unless_off(factor[0], factor[0] * fabs(w)) + unless_off(factor[1], factor[1] * w * w);
    }
    template <class N>
    static N slope(std::array<N, 2> const& factor, N const& w) {
        N const zero(0), sign = select(w > zero, N(1), select(w < zero, N(-1), zero));
        return unless_off(factor[0], factor[0] * sign) + unless_off(factor[1], N(2) * factor[1] * w);
    }

private:
    template <std::size_t Lanes, class S>
    double sum_of_terms(std::span<S> values) const {
        return batches::sum_in_doubles<Lanes>(values.size(), [&]<class D>(D) {
            return [values, of_all = factors<D>()](std::size_t i) {
                return term(of_all, batches::in_doubles<D>(values.data() + i));
            };
        });
    }
    template <std::size_t Lanes, class S, class G>
    void add_slopes(std::span<S> values, std::span<G> gradient) const {
        batches::replace_in_doubles<Lanes>(gradient, [&]<class D>(D) {
            return [values, gradient, of_all = factors<D>()](std::size_t i) {
                return batches::in_doubles<D>(gradient.data() + i) +
                       slope(of_all, batches::in_doubles<D>(values.data() + i));
            };
        });
    }

    template <class N>
    static N unless_off(N const& factor, N const& term) {
        return select(factor > N(0), term, N(0));
    }
};

} // namespace sluice
