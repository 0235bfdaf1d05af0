// SPDX-License-Identifier: BSL-1.0
// Tensors of tests: random ones, slices of sequences, and distances.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/parameter/parameters.hpp>
#include <sluice/parameter/random.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace support {

/// Uniform in [-scale, scale], another stream for each name.
template <class S, std::size_t N>
xt::xtensor<S, N> random_tensor(std::array<std::size_t, N> const& shape, std::string_view called,
                                double scale = 1) {
    sluice::random_stream numbers(sluice::seed{17}, called);
    auto tensor = xt::xtensor<S, N>::from_shape(shape);
    for (S& value : tensor)
        value = sluice::rounded<S>(numbers.uniform(-scale, scale));
    return tensor;
}

template <class S>
xt::xtensor<S, 3> random_sequence(std::size_t time, std::size_t batch, std::size_t width,
                                  std::string_view called = "xs") {
    return random_tensor<S, 3>({time, batch, width}, called);
}

template <class Tensor>
auto random_like(Tensor const& tensor, std::string_view called, double scale = 1) {
    return random_tensor<typename Tensor::value_type>(tensor.shape(), called, scale);
}

/// Random values for all tensors of a map.
template <class Map>
Map random_map(Map map, std::string_view called) {
    sluice::for_each_parameter(map, [&](auto key, auto& tensor) {
        tensor = random_like(tensor, std::string(called) + '/' + key.c_str());
    });
    return map;
}

/// Random values for all parameters, biases too.
template <class Cell>
void randomize(Cell& cell, double scale = 0.7) {
    using scalar = typename Cell::scalar_type;
    cell.update([&](auto key, std::span<scalar> values) {
        sluice::random_stream numbers(sluice::seed{5}, key.c_str());
        for (scalar& value : values)
            value = sluice::rounded<scalar>(numbers.uniform(-scale, scale));
    });
}

/// The names of a map, in its order.
template <class Map>
std::vector<std::string> names(Map const& map) {
    std::vector<std::string> result;
    sluice::for_each_parameter(map, [&](auto key, auto const&) { result.emplace_back(key.c_str()); });
    return result;
}

constexpr double not_comparable = std::numeric_limits<double>::quiet_NaN();

/// |a - b| / |b|, in Euclid's norm; |a| where b is zero. A NaN, which is neither near nor far, where there
/// are no numbers, other shapes, or numbers that are not finite.
template <class A, class B>
double distance(A const& a, B const& b) {
    bool comparable = a.dimension() == b.dimension() && a.size() > 0;
    for (std::size_t d = 0; comparable && d < a.dimension(); ++d)
        comparable = a.shape()[d] == b.shape()[d];
    if (!comparable)
        return not_comparable;
    double off = 0, norm = 0;
    auto other = b.begin();
    for (auto const& value : a) {
        double const expected = sluice::in_double(*other++);
        off += std::pow(sluice::in_double(value) - expected, 2);
        norm += expected * expected;
    }
    if (!std::isfinite(off) || !std::isfinite(norm))
        return not_comparable;
    return norm > 0 ? std::sqrt(off / norm) : std::sqrt(off);
}

/// The larger of two distances; a NaN is the largest, and stays.
inline double worse(double a, double b) {
    return std::isnan(a) || a >= b ? a : b;
}

/// The largest distance of two tensors of the same name, of maps that have one.
template <class MapA, class MapB>
double map_distance(MapA const& a, MapB const& b) {
    double worst = names(a).empty() || names(a) != names(b) ? not_comparable : 0;
    sluice::for_each_parameter(
        a, [&](auto key, auto const& tensor) { worst = worse(worst, distance(tensor, b[key])); });
    return worst;
}
/// The same for states, of which a cell may have none.
template <class MapA, class MapB>
double state_distance(MapA const& a, MapB const& b) {
    return names(a).empty() && names(b).empty() ? 0 : map_distance(a, b);
}

/// map += factor * other
template <class Map>
void add_map(Map& map, Map const& other, double factor = 1) {
    sluice::for_each_parameter(map, other, [&](auto, auto& to, auto const& from) {
        using scalar = typename std::decay_t<decltype(to)>::value_type;
        to += static_cast<scalar>(factor) * from;
    });
}

/// factor * map
template <class Map>
Map scaled(Map map, double factor) {
    sluice::for_each_parameter(map, [&](auto, auto& tensor) {
        using scalar = typename std::decay_t<decltype(tensor)>::value_type;
        tensor *= static_cast<scalar>(factor);
    });
    return map;
}

/// Steps [first, last) of a sequence.
template <class S>
xt::xtensor<S, 3> steps(xt::xtensor<S, 3> const& xs, std::size_t first, std::size_t last) {
    return xt::view(xs, xt::range(first, last));
}

/// Row r of the batch, as a batch of one.
template <class S>
xt::xtensor<S, 3> one_row(xt::xtensor<S, 3> const& xs, std::size_t r) {
    return xt::view(xs, xt::all(), xt::range(r, r + 1));
}
template <class Map>
Map one_row_of_states(Map map, std::size_t r) {
    sluice::for_each_parameter(map, [&](auto, auto& tensor) {
        std::decay_t<decltype(tensor)> row = xt::view(tensor, xt::range(r, r + 1));
        tensor = row;
    });
    return map;
}

/// Numbers of the same shape and bits, at least one: -0 is not 0, and a NaN is itself.
template <class A, class B>
bool same_bits(A const& a, B const& b) {
    using scalar = typename A::value_type;
    using bits = std::array<std::byte, sizeof(scalar)>;
    static_assert(std::is_same_v<scalar, typename B::value_type>);
    return a.shape() == b.shape() && a.size() > 0 &&
           std::equal(a.begin(), a.end(), b.begin(), [](scalar left, scalar right) {
               return std::bit_cast<bits>(left) == std::bit_cast<bits>(right);
           });
}
template <class Map>
bool same_map(Map const& a, Map const& b) {
    bool same = !names(a).empty();
    sluice::for_each_parameter(
        a, [&](auto key, auto const& tensor) { same = same && same_bits(tensor, b[key]); });
    return same;
}
/// The same for states, of which a cell may have none.
template <class Map>
bool same_states(Map const& a, Map const& b) {
    return names(a).empty() || same_map(a, b);
}

/// Zeros and nothing else, at least one; of either sign.
template <class Tensor>
bool all_zero(Tensor const& tensor) {
    return tensor.size() > 0 &&
           std::all_of(tensor.begin(), tensor.end(), [](auto v) { return sluice::in_double(v) == 0; });
}
template <class Map>
bool all_zero_map(Map const& map) {
    bool zero = !names(map).empty();
    sluice::for_each_parameter(map, [&](auto, auto const& tensor) { zero = zero && all_zero(tensor); });
    return zero;
}

} // namespace support
