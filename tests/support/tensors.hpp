// SPDX-License-Identifier: BSL-1.0
// Tensors of tests: random ones, slices of sequences, and distances.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sluice/core/xtensor.hpp>
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
        value = static_cast<S>(numbers.uniform(-scale, scale));
    return tensor;
}

template <class S>
xt::xtensor<S, 3> random_sequence(std::size_t time, std::size_t batch, std::size_t width,
                                  std::string_view called = "xs") {
    return random_tensor<S, 3>({time, batch, width}, called);
}

template <class S, std::size_t N>
xt::xtensor<S, N> random_like(xt::xtensor<S, N> const& tensor, std::string_view called, double scale = 1) {
    return random_tensor<S, N>(tensor.shape(), called, scale);
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
            value = static_cast<scalar>(numbers.uniform(-scale, scale));
    });
}

/// |a - b| / |b|, in Euclid's norm; |a| where b is zero; infinite where the shapes differ.
template <class A, class B>
double distance(A const& a, B const& b) {
    bool same = a.dimension() == b.dimension();
    for (std::size_t d = 0; same && d < a.dimension(); ++d)
        same = a.shape()[d] == b.shape()[d];
    if (!same)
        return std::numeric_limits<double>::infinity();
    double off = 0, norm = 0;
    auto other = b.begin();
    for (auto const value : a) {
        double const expected = static_cast<double>(*other++);
        off += std::pow(static_cast<double>(value) - expected, 2);
        norm += expected * expected;
    }
    return norm > 0 ? std::sqrt(off / norm) : std::sqrt(off);
}

/// The larger of two distances; a NaN is the largest, and stays.
inline double worse(double a, double b) {
    return std::isnan(a) || a >= b ? a : b;
}

/// The largest distance of two tensors of the same name; NaN where there is one.
template <class MapA, class MapB>
double map_distance(MapA const& a, MapB const& b) {
    double worst = 0;
    sluice::for_each_parameter(
        a, [&](auto key, auto const& tensor) { worst = worse(worst, distance(tensor, b[key])); });
    return worst;
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

/// All bits the same, NaN included.
template <class A, class B>
bool same_bits(A const& a, B const& b) {
    if (a.shape() != b.shape())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(a.data()[i] == b.data()[i] || (std::isnan(a.data()[i]) && std::isnan(b.data()[i]))))
            return false;
    return true;
}
template <class Map>
bool same_map(Map const& a, Map const& b) {
    bool same = true;
    sluice::for_each_parameter(
        a, [&](auto key, auto const& tensor) { same = same && same_bits(tensor, b[key]); });
    return same;
}

/// The names of a map, in its order.
template <class Map>
std::vector<std::string> names(Map const& map) {
    std::vector<std::string> result;
    sluice::for_each_parameter(map, [&](auto key, auto const&) { result.emplace_back(key.c_str()); });
    return result;
}

} // namespace support
