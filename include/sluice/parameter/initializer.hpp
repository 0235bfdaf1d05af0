// SPDX-License-Identifier: BSL-1.0
//
// Initial values of parameters: a function of the seed, the parameter's name and its shape alone.
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
// is the rounded double parameter, and every bit is the same on every machine (see random.hpp). A parameter
// of a narrower storage is that number, rounded (core/arithmetic.hpp).
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <sluice/core/fail.hpp>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <sluice/core/arithmetic.hpp>
#include <sluice/parameter/random.hpp>

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

/// What an initialiser needs to know of a parameter: a vector [cols], a matrix [rows, cols], or one matrix
/// per feature group [groups, rows, cols]. A parameter that is part of a fused kernel states that kernel's
/// fans.
struct shape_of_parameter {
    std::size_t rows = 0; // 0: a vector
    std::size_t cols = 0;
    std::size_t groups = 1;
    std::size_t fan_in = 0;  // 0: rows, or cols of a vector
    std::size_t fan_out = 0; // 0: cols
    bool is_vector = rows == 0;
};

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

namespace detail {

/// sum a_i b_i in a fixed order: eight interleaved sums, each by fma, then added pairwise.
inline double fixed_dot(std::span<double const> a, std::span<double const> b) {
    double sum[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= a.size(); i += 8)
        for (std::size_t lane = 0; lane < 8; ++lane)
            sum[lane] = std::fma(a[i + lane], b[i + lane], sum[lane]);
    for (std::size_t lane = 0; i < a.size(); ++i, ++lane)
        sum[lane] = std::fma(a[i], b[i], sum[lane]);
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

/// count orthonormal vectors of the given length (count <= length), one after the other: modified
/// Gram-Schmidt of normal vectors, each projection done twice. A vector that all but vanishes is drawn again.
/// It costs 2 count^2 length fused multiply-adds: 512 x 512 takes 0.1 s with -march=native, 1 s where fma is
/// a call.
inline std::vector<double> orthonormal_vectors(std::size_t count, std::size_t length,
                                               random_stream& numbers) {
    std::vector<double> all(count * length);
    auto const vector = [&](std::size_t i) { return std::span(all).subspan(i * length, length); };
    for (std::size_t i = 0; i < count;) {
        auto const v = vector(i);
        for (double& x : v)
            x = numbers.normal();
        double const before = fixed_dot(v, v);
        for (std::size_t pass = 0; pass < 2; ++pass)
            for (std::size_t j = 0; j < i; ++j) {
                auto const q = vector(j);
                double const along = -fixed_dot(v, q);
                for (std::size_t k = 0; k < length; ++k)
                    v[k] = std::fma(along, q[k], v[k]);
            }
        double const after = fixed_dot(v, v);
        if (!(after > before * 0x1p-40))
            continue;
        double const norm = std::sqrt(after);
        for (double& x : v)
            x /= norm;
        ++i;
    }
    return all;
}

template <storage_scalar S>
void fill_orthogonal(std::span<S> values, shape_of_parameter const& shape, double gain,
                     random_stream& numbers) {
    auto const rows = shape.rows;
    auto const cols = shape.cols;
    bool const wide = rows <= cols;
    for (std::size_t group = 0; group < shape.groups; ++group) {
        auto const q = orthonormal_vectors(wide ? rows : cols, wide ? cols : rows, numbers);
        auto const block = values.subspan(group * rows * cols, rows * cols);
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t col = 0; col < cols; ++col)
                block[row * cols + col] = rounded<S>(gain * q[wide ? row * cols + col : col * rows + row]);
    }
}

} // namespace detail

/// Fills the row-major values of the parameter `name`.
template <storage_scalar S>
void initialize(initializer const& how, std::span<S> values, shape_of_parameter const& shape, seed seed,
                std::string_view name) {
    bool const is_vector = shape.is_vector;
    auto const expected = shape.groups * (is_vector ? 1 : shape.rows) * shape.cols;
    if (values.size() != expected)
        fail<std::invalid_argument>({"initialize: parameter ", name, " has ", values.size(),
                                     " numbers, but its shape asks for ", expected});
    random_stream numbers(seed, name);
    auto const fill = [&](auto&& next) {
        for (S& value : values)
            value = rounded<S>(next());
    };
    auto const [first, second] = how.numbers();
    using form = initializer::form;
    switch (how.kind()) {
    case form::zeros:
        return fill([] { return 0.0; });
    case form::ones:
        return fill([] { return 1.0; });
    case form::constant:
        return fill([value = first] { return value; });
    case form::uniform:
        return fill([&, low = first, high = second] { return numbers.uniform(low, high); });
    case form::normal:
        return fill([&, mean = first, stddev = second] { return numbers.normal(mean, stddev); });
    case form::glorot_uniform: {
        auto const fan_in = shape.fan_in > 0 ? shape.fan_in : is_vector ? shape.cols : shape.rows;
        auto const fan_out = shape.fan_out > 0 ? shape.fan_out : shape.cols;
        double const limit = std::sqrt(6.0 / static_cast<double>(fan_in + fan_out));
        return fill([&] { return numbers.uniform(-limit, limit); });
    }
    case form::values:
        if (how.values().size() != expected)
            fail<std::invalid_argument>({"initialize: parameter ", name, " has ", expected,
                                         " numbers, but init::values has ", how.values().size(),
                                         "; give one for each, row by row"});
        return fill([next = how.values().begin()]() mutable { return *next++; });
    case form::orthogonal:
        if (is_vector)
            fail<std::invalid_argument>({"initialize: parameter ", name,
                                         " is a vector, but init::orthogonal is for matrices; use zeros, "
                                         "constant, uniform or normal"});
        return detail::fill_orthogonal(values, shape, first, numbers);
    }
}

} // namespace sluice
