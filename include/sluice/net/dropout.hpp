// SPDX-License-Identifier: BSL-1.0
// Inverted dropout (Srivastava et al. 2014), every number on its own:
//
//   mask = 0 with probability rate, else 1 / (1 - rate)
//   y    = mask x          dx = mask dy
//
// A dropped number is exactly zero, also where x is not finite. Rate 0 leaves everything as it is; rate 1
// gives zeros.
//
//   sluice::dropout const drop(0.2, sluice::seed{7});
//   auto const ys  = drop(xs, n);        // [time, batch, features]; n = 0, 1, 2 ... numbers the draws
//   auto const dxs = drop(dys, n);       // the gradient, under the same mask
//
// A mask follows from the seed, the name, the draw and the position of each number, on every machine and in
// every order: nothing is remembered. Rows that are a part of a larger batch, from some row of it on, are
// masked as they are there. A variational one (Gal and Ghahramani, arXiv 1512.05287) is the same at
// all time steps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/core/tensor_shape.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/parameter/random.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace sluice {
namespace detail {

/// Throws `std::invalid_argument` unless it is a probability.
inline void require_rate(std::string_view who, double rate) {
    if (!(rate >= 0 && rate <= 1))
        fail<std::invalid_argument>({who, " expects a rate between 0 and 1, but it is ", rate});
}

/// f(number, whether it is drawn, with probability rate) for each number of [time, batch, features]; row 0 is
/// `first_row` of the field.
template <class S, class F>
void for_each_drawn(random_field const& field, double rate, bool same_at_all_times,
                    std::array<std::size_t, 3> const& shape, std::size_t first_row, S* values, F f) {
    for (std::size_t t = 0; t < shape[0]; ++t)
        for (std::size_t b = 0; b < shape[1]; ++b) {
            auto const row = field.at(same_at_all_times ? 0 : t, first_row + b);
            for (std::size_t i = 0; i < shape[2]; ++i)
                f(*values++, row.unit(i) < rate);
        }
}

} // namespace detail

class dropout {
public:
    /// `called` tells masks of one seed apart; it is copied. Throws `std::invalid_argument` for a rate
    /// outside of [0, 1].
    explicit dropout(double rate, seed from = {}, std::string_view called = "dropout",
                     bool variational = false)
        : rate_(rate), seed_{random_stream(from, called)()}, variational_(variational) {
        detail::require_rate("dropout", rate);
    }

    double rate() const { return rate_; }
    /// Whether a mask is the same at all time steps.
    bool is_variational() const { return variational_; }

    /// A masked copy of [time, batch, features], or of the [batch, features] of one time step. `first_row` is
    /// which row of a larger batch the first one is.
    template <class S, std::size_t Rank>
    xt::xtensor<S, Rank> operator()(xt::xtensor<S, Rank> values, std::uint64_t draw,
                                    std::size_t first_row = 0) const {
        static_assert(storage_scalar<S>, "sluice: dropout expects floating-point numbers");
        static_assert(Rank == 2 || Rank == 3, "sluice: dropout expects [time, batch, features], or [batch, "
                                              "features] of one time step");
        detail::require_numbers("what dropout is given", values);
        if (rate_ == 0)
            return values;
        std::array<std::size_t, 3> shape{1, 1, 1};
        for (std::size_t d = 0; d < Rank; ++d)
            shape[3 - Rank + d] = values.shape()[d];
        auto const factor = static_cast<arithmetic_of<S>>(rate_ < 1 ? 1 / (1 - rate_) : 0);
        detail::for_each_drawn(random_field(seed_, "", draw), rate_, variational_, shape, first_row,
                               values.data(), [&](S& value, bool dropped) { // a branch would be guessed wrong
                                   value = std::array{rounded<S>(widened(value) * factor), S(0)}[dropped];
                               });
        return values;
    }
    template <class E>
    auto operator()(xt::xexpression<E> const& values, std::uint64_t draw, std::size_t first_row = 0) const {
        using scalar = typename E::value_type;
        constexpr std::size_t rank = detail::rank_of<E>;
        return (*this)(xt::xtensor<scalar, rank>(values.derived_cast()), draw, first_row);
    }

private:
    double rate_;
    seed seed_;
    bool variational_;
};

} // namespace sluice
