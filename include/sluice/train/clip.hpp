// SPDX-License-Identifier: BSL-1.0
//
// Clipping by the norm of all gradients together (Pascanu et al., arXiv 1211.5063):
//
//   norm = sqrt(sum of g^2 over all parameters of all arguments), summed in double
//   g    = g * max_norm / max(norm, max_norm)
//
// A norm within the bound leaves every bit as it is. A norm that is NaN or infinite leaves the gradients as
// they are too: the norm that is returned says so, and the optimisers refuse such gradients.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <limits>
#include <sluice/core/fail.hpp>
#include <sluice/parameter/parameters.hpp>
#include <sluice/simd/lanes.hpp>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sluice {

namespace detail {

/// Gradients that lie where the host cannot read them: they compute on their numbers themselves, in double.
template <class Gradients>
concept gradients_elsewhere = requires(std::remove_cvref_t<Gradients>& gradients, double number) {
    gradients.require(std::string_view());
    { std::as_const(gradients).sum_of_squares(number) } -> std::same_as<double>; // of g / number
    { std::as_const(gradients).largest() } -> std::same_as<double>;              // of |g|
    gradients.scale(number);
};

/// f(numbers of a map) for a parameter map, or each of a range of them; f(map) where it lies elsewhere.
template <class Gradients, class F>
void for_each_array(Gradients& gradients, F&& f) {
    static constexpr std::string_view what = "the map of gradients";
    if constexpr (gradients_elsewhere<Gradients>) {
        gradients.require(what);
        f(gradients);
    } else if constexpr (requires { gradients.array(); }) {
        gradients.array().require(what);
        f(gradients.values());
    } else {
        static_assert(
            requires { std::begin(gradients), std::end(gradients); },
            "sluice: clipping expects parameter maps or ranges of parameter maps");
        for (auto& one : gradients)
            for_each_array(one, f);
    }
}

/// The sum of (g / unit)^2.
template <class S, std::size_t Lanes = batches::doubles_of<S>>
double sum_of_squares_of(std::span<S const> numbers, double unit) {
    return batches::sum_in_doubles<Lanes>(numbers.size(), [&]<class D>(D) {
        return [numbers, divides = unit != 1, by = D(unit)](std::size_t i) {
            D const kept = batches::in_doubles<D>(numbers.data() + i), g = divides ? kept / by : kept;
            return g * g;
        };
    });
}

template <class S, std::size_t Lanes = batches::doubles_of<S>>
void scale_numbers(std::span<S> numbers, double factor) {
    batches::replace_in_doubles<Lanes>(numbers, [&]<class D>(D) {
        return [numbers, by = D(factor)](std::size_t i) {
            return batches::in_doubles<D>(numbers.data() + i) * by;
        };
    });
}

template <class... Gradients>
double sum_of_squares(double unit, Gradients const&... gradients) {
    double sum = 0;
    auto const add = [&](auto const& numbers) {
        if constexpr (gradients_elsewhere<decltype(numbers)>)
            sum += numbers.sum_of_squares(unit);
        else
            sum += sum_of_squares_of(numbers, unit);
    };
    (for_each_array(gradients, add), ...);
    return sum;
}

} // namespace detail

/// The norm of all numbers of all parameter maps together. Infinite or NaN only if one of the numbers is.
template <class... Gradients>
    requires(sizeof...(Gradients) > 0)
double global_norm(Gradients const&... gradients) {
    double const sum = detail::sum_of_squares(1, gradients...);
    if (std::isnan(sum) || (sum > std::numeric_limits<double>::min() && std::isfinite(sum)))
        return std::sqrt(sum);
    double largest = 0; // squares too large or too small for a double: measure in units of the largest
    auto const find = [&](auto const& numbers) {
        if constexpr (detail::gradients_elsewhere<decltype(numbers)>)
            largest = std::max(largest, numbers.largest());
        else
            for (auto const& g : numbers)
                largest = std::max(largest, std::abs(in_double(g)));
    };
    (detail::for_each_array(gradients, find), ...);
    if (largest == 0 || std::isinf(largest))
        return largest;
    return largest * std::sqrt(detail::sum_of_squares(largest, gradients...));
}

/// Scales all gradients by one factor so that their norm is at most max_norm; returns the norm from before.
template <class... Gradients>
    requires(sizeof...(Gradients) > 0)
double clip_by_global_norm(double max_norm, Gradients&... gradients) {
    if (!(max_norm > 0))
        fail<std::invalid_argument>(
            {"clip_by_global_norm expects a largest norm above 0, but it is ", max_norm});
    double const norm = global_norm(gradients...);
    if (!(norm > max_norm) || std::isinf(norm))
        return norm;
    double const factor = max_norm / norm;
    auto const scale = [&]<class Numbers>(Numbers&& numbers) {
        if constexpr (detail::gradients_elsewhere<Numbers>)
            numbers.scale(factor);
        else
            detail::scale_numbers(numbers, factor);
    };
    (detail::for_each_array(gradients, scale), ...);
    return norm;
}

} // namespace sluice
