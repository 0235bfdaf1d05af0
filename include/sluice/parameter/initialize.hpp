// SPDX-License-Identifier: BSL-1.0
// The first values of a parameter: what its initialiser (expr/initializer.hpp) says, of the seed, the
// parameter's name and its shape alone.
#pragma once

#include <cmath>
#include <cstddef>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/expr/initializer.hpp>
#include <sluice/parameter/random.hpp>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace sluice {

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
template <class Numbers>
std::vector<double> orthonormal_vectors(std::size_t count, std::size_t length, Numbers& numbers) {
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
