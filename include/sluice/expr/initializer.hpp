// SPDX-License-Identifier: BSL-1.0
//
// How a parameter starts: a function of the seed, the parameter's name and its shape alone.
//
//   zeros, ones, constant{v}
//   uniform{low, high}         U[low, high]
//   normal{mean, stddev}       N(mean, stddev^2)
//   glorot_uniform{}           U[-a, a], a = sqrt(6 / (fan_in + fan_out))     Glorot, Bengio 2010, eq. 16
//   orthogonal{gain}           gain * Q, rows or columns (the fewer) orthonormal
//                                                                     Saxe et al., arXiv 1312.6120
//   values{numbers}            those, row by row
//
// All values are computed in double and rounded to the parameter's arithmetic once, so that a float parameter
// is the rounded double parameter, and every bit is the same on every machine (parameter/random.hpp). A
// parameter of a narrower storage is that number, rounded (core/arithmetic.hpp).
#pragma once

#include <array>
#include <cmath>
#include <sluice/core/fail.hpp>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sluice {

namespace init {

struct zeros {
    friend constexpr bool operator==(zeros, zeros) = default;
};
struct ones {
    friend constexpr bool operator==(ones, ones) = default;
};
struct constant {
    double value = 0;
    friend constexpr bool operator==(constant, constant) = default;
};
struct uniform {
    double low = -0.05;
    double high = 0.05;
    friend constexpr bool operator==(uniform, uniform) = default;
};
struct normal {
    double mean = 0;
    double stddev = 0.05;
    friend constexpr bool operator==(normal, normal) = default;
};
struct glorot_uniform {
    friend constexpr bool operator==(glorot_uniform, glorot_uniform) = default;
};
struct orthogonal {
    double gain = 1;
    friend constexpr bool operator==(orthogonal, orthogonal) = default;
};
struct values {
    std::vector<double> numbers{};
    friend bool operator==(values const&, values const&) = default;
};

} // namespace init

/// One of the initialisers above; bad arguments are refused when it is made.
class initializer {
public:
    enum class form { zeros, ones, constant, uniform, normal, glorot_uniform, orthogonal, values };

    initializer() = default;
    initializer(init::zeros) : form_(form::zeros) {}
    initializer(init::ones) : form_(form::ones) {}
    initializer(init::constant const& how) : initializer(form::constant, {how.value, 0}) {}
    initializer(init::uniform const& how) : initializer(form::uniform, {how.low, how.high}) {}
    initializer(init::normal const& how) : initializer(form::normal, {how.mean, how.stddev}) {}
    initializer(init::glorot_uniform) {}
    initializer(init::orthogonal const& how) : initializer(form::orthogonal, {how.gain, 0}) {}
    initializer(init::values how) : form_(form::values), values_(std::move(how.numbers)) { check(); }

    form kind() const { return form_; }
    /// What its kind is given: {value}, {low, high}, {mean, stddev} or {gain}.
    std::array<double, 2> const& numbers() const { return numbers_; }
    /// Of init::values.
    std::span<double const> values() const { return values_; }

    friend bool operator==(initializer const&, initializer const&) = default;

private:
    form form_ = form::glorot_uniform;
    std::array<double, 2> numbers_{};
    std::vector<double> values_{};

    initializer(form kind, std::array<double, 2> const& numbers) : form_(kind), numbers_(numbers) { check(); }

    void check() const;
};

inline void initializer::check() const {
    auto const [first, second] = numbers_;
    bool const are_finite = std::isfinite(first) && std::isfinite(second);
    if (form_ == form::constant && !are_finite)
        fail<std::invalid_argument>({"init::constant: expected a finite value, but got ", first});
    if (form_ == form::uniform && !(are_finite && first <= second))
        fail<std::invalid_argument>(
            {"init::uniform: expected finite bounds, the lower one first, but got ", first, " and ", second});
    if (form_ == form::normal && !(are_finite && second >= 0))
        fail<std::invalid_argument>({"init::normal: expected a finite mean and a finite standard deviation "
                                     "of at least 0, but got ",
                                     first, " and ", second});
    if (form_ == form::orthogonal && !are_finite)
        fail<std::invalid_argument>({"init::orthogonal: expected a finite gain, but got ", first});
    for (double const number : values_)
        if (!std::isfinite(number))
            fail<std::invalid_argument>({"init::values: expected finite numbers, but got ", number});
}

} // namespace sluice
