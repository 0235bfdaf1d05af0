// SPDX-License-Identifier: BSL-1.0
//
// Inverted dropout on the inputs of a layer (Srivastava et al. 2014), every number on its own:
//
//   mask = 0 with probability rate, else 1 / (1 - rate)
//   y    = mask x          dx = mask dy
//
// A dropped number is exactly zero, also where x is not finite. Rate 0 leaves everything as it is and draws
// no random numbers; rate 1 gives zeros.
#pragma once

#include <cstddef>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/shape.hpp>
#include <sluice/core/xtensor.hpp>
#include <sluice/parameter/random.hpp>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace sluice {

/// Remembers the mask of the last `apply` for `backward`. The random stream must outlive it.
class dropout {
public:
    dropout(double rate, random_stream& numbers) : rate_(rate), numbers_(&numbers) {
        if (!(rate >= 0 && rate <= 1))
            fail<std::invalid_argument>({"dropout expects a rate between 0 and 1, but it is ", rate});
    }

    double rate() const { return rate_; }

    /// A masked copy of xs, with a new mask.
    template <class E>
    auto apply(xt::xexpression<E> const& xs) {
        auto result = copy(xs.derived_cast());
        shape_.assign(result.shape().begin(), result.shape().end());
        kept_.resize(result.size());
        for (auto&& kept : kept_)
            kept = rate_ == 0 || (rate_ < 1 && !numbers_->bernoulli(rate_));
        multiply(result);
        return result;
    }

    /// The gradient of the last `apply`: a copy of the gradient, under the same mask.
    template <class E>
    auto backward(xt::xexpression<E> const& gradient) const {
        auto result = copy(gradient.derived_cast());
        detail::require_same_shape("dropout", "a gradient, like the last apply,", shape_, result.shape());
        multiply(result);
        return result;
    }

private:
    template <class E>
    static auto copy(E const& xs) {
        using scalar = typename E::value_type;
        static_assert(storage_scalar<scalar>, "sluice: dropout expects floating-point numbers");
        return xt::xtensor<scalar, std::tuple_size_v<std::decay_t<decltype(xs.shape())>>>(xs);
    }

    template <class Tensor>
    void multiply(Tensor& tensor) const {
        using scalar = typename Tensor::value_type;
        auto const factor = static_cast<arithmetic_of<scalar>>(rate_ < 1 ? 1 / (1 - rate_) : 0);
        scalar* const values = tensor.data();
        for (std::size_t i = 0; i < kept_.size(); ++i)
            values[i] = kept_[i] ? rounded<scalar>(widened(values[i]) * factor) : scalar{0};
    }

    double rate_;
    random_stream* numbers_;
    std::vector<bool> kept_;
    std::vector<std::size_t> shape_;
};

} // namespace sluice
