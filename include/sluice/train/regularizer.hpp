// SPDX-License-Identifier: BSL-1.0
//
// A penalty on numbers: on parameters (train/penalty.hpp), or on activity (train/activity.hpp).
//
//   penalty  = l1 sum |w| + l2 sum w^2
//   gradient = l1 sign(w) + 2 l2 w          with sign(0) = 0
//
// Mind the factor when moving from tf.contrib.layers: its l2_regularizer(scale) is scale/2 sum w^2.
#pragma once

#include <cmath>
#include <cstddef>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/fail.hpp>
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
        double absolute = 0;
        double square = 0;
        for (S const& kept : values) {
            double const w = in_double(kept);
            absolute += std::abs(w);
            square += w * w;
        }
        // a factor of zero switches its term off, whatever the values are
        return (l1 > 0 ? l1 * absolute : 0) + (l2 > 0 ? l2 * square : 0);
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
        for (std::size_t i = 0; i < values.size(); ++i) {
            double const w = in_double(values[i]);
            double const sign = w > 0 ? 1 : w < 0 ? -1 : 0;
            double const slope = (l1 > 0 ? l1 * sign : 0) + (l2 > 0 ? 2 * l2 * w : 0);
            gradient[i] = rounded<G>(in_double(gradient[i]) + slope);
        }
    }
};

} // namespace sluice
