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

#include <cmath>
#include <concepts>
#include <cstddef>
#include <sluice/core/fail.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
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
    using variant_type = std::variant<init::zeros, init::ones, init::constant, init::uniform, init::normal,
                                      init::glorot_uniform, init::orthogonal, init::values>;

    initializer() : kind_(init::glorot_uniform{}) {}

    template <class Kind>
        requires(!std::same_as<std::remove_cvref_t<Kind>, initializer> &&
                 std::constructible_from<variant_type, Kind>)
    initializer(Kind&& kind) : kind_(std::forward<Kind>(kind)) {
        std::visit([](auto const& alternative) { check(alternative); }, kind_);
    }

    variant_type const& kind() const { return kind_; }

    friend bool operator==(initializer const&, initializer const&) = default;

private:
    template <class Kind>
    static void check(Kind const&) {}

    static void check(init::constant const& kind) {
        if (!std::isfinite(kind.value))
            refuse("constant: expected a finite value", kind.value);
    }
    static void check(init::uniform const& kind) {
        if (!std::isfinite(kind.low) || !std::isfinite(kind.high) || kind.low > kind.high)
            refuse("uniform: expected finite bounds, the lower one first", kind.low, kind.high);
    }
    static void check(init::normal const& kind) {
        if (!std::isfinite(kind.mean) || !std::isfinite(kind.stddev) || kind.stddev < 0)
            refuse("normal: expected a finite mean and a finite standard deviation of at least 0", kind.mean,
                   kind.stddev);
    }
    static void check(init::orthogonal const& kind) {
        if (!std::isfinite(kind.gain))
            refuse("orthogonal: expected a finite gain", kind.gain);
    }
    static void check(init::values const& kind) {
        for (double const number : kind.numbers)
            if (!std::isfinite(number))
                refuse("values: expected finite numbers", number);
    }

    template <class... Numbers>
    [[noreturn]] static void refuse(std::string const& sentence, Numbers... numbers) {
        std::string came;
        ((came += (came.empty() ? "" : " and ") + std::to_string(numbers)), ...);
        fail<std::invalid_argument>({"init::", sentence, ", but got ", came});
    }

    variant_type kind_;
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
    std::visit(
        [&](auto const& kind) {
            using kind_type = std::remove_cvref_t<decltype(kind)>;
            if constexpr (std::is_same_v<kind_type, init::zeros>) {
                fill([] { return 0.0; });
            } else if constexpr (std::is_same_v<kind_type, init::ones>) {
                fill([] { return 1.0; });
            } else if constexpr (std::is_same_v<kind_type, init::constant>) {
                fill([&] { return kind.value; });
            } else if constexpr (std::is_same_v<kind_type, init::uniform>) {
                fill([&] { return numbers.uniform(kind.low, kind.high); });
            } else if constexpr (std::is_same_v<kind_type, init::normal>) {
                fill([&] { return numbers.normal(kind.mean, kind.stddev); });
            } else if constexpr (std::is_same_v<kind_type, init::glorot_uniform>) {
                const auto fan_in = shape.fan_in > 0 ? shape.fan_in : is_vector ? shape.cols : shape.rows;
                const auto fan_out = shape.fan_out > 0 ? shape.fan_out : shape.cols;
                const double limit = std::sqrt(6.0 / static_cast<double>(fan_in + fan_out));
                fill([&] { return numbers.uniform(-limit, limit); });
            } else if constexpr (std::is_same_v<kind_type, init::values>) {
                if (kind.numbers.size() != expected)
                    fail<std::invalid_argument>({"initialize: parameter ", name, " has ", expected,
                                                 " numbers, but init::values has ", kind.numbers.size(),
                                                 "; give one for each, row by row"});
                fill([next = kind.numbers.begin()]() mutable { return *next++; });
            } else {
                static_assert(std::is_same_v<kind_type, init::orthogonal>);
                if (is_vector)
                    fail<std::invalid_argument>({"initialize: parameter ", name,
                                                 " is a vector, but init::orthogonal is for matrices; use "
                                                 "zeros, constant, uniform or normal"});
                detail::fill_orthogonal(values, shape, kind.gain, numbers);
            }
        },
        how.kind());
}

} // namespace sluice
