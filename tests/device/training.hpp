// SPDX-License-Identifier: BSL-1.0
// A net on the device that is parameters and nothing else, and numbers that are compared with those of the
// host.
#pragma once

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <memory>
#include <sluice/cudnn.hpp>
#include <support/tensors.hpp>
#include <train/fake_cell.hpp>
#include <type_traits>
#include <vector>

namespace training {

/// Numbers on the device with the places of a map on the host.
template <class Map>
auto sent(Map const& map) {
    using scalar = std::remove_const_t<typename decltype(map.values())::value_type>;
    auto const places = map.array().places();
    sluice::cudnn::resident_parameters<scalar> made(
        std::make_shared<std::vector<sluice::tensor_place> const>(places.begin(), places.end()),
        map.values().size(), sluice::cudnn::queue::of_this_thread());
    auto numbers = xt::xtensor<scalar, 1>::from_shape({map.values().size()});
    std::copy(map.values().begin(), map.values().end(), numbers.begin());
    sluice::cudnn::send(numbers, made.values());
    return made;
}

/// Numbers of both signs, one like the other.
template <class S>
auto random_map(std::size_t rows, std::size_t columns, std::string_view called, double scale = 1) {
    auto map = fake_cell<S>::zeros(rows, columns);
    auto const numbers = support::random_tensor<S, 1>({map.values().size()}, called, scale);
    std::copy(numbers.begin(), numbers.end(), map.values().begin());
    return map;
}

template <class S>
constexpr double tolerance() {
    return std::is_same_v<S, double>         ? 1e-14
           : std::is_same_v<S, float>        ? 1e-6
           : std::is_same_v<S, sluice::half> ? 1e-3
                                             : 8e-3;
}
/// Whether each number is that of the host but for rounding, and NaN where that is.
template <class A, class B>
bool near(A const& came, B const& expected, double tolerance, double least = 1e-3) {
    bool all = std::equal(came.shape().begin(), came.shape().end(), expected.shape().begin(),
                          expected.shape().end());
    for (std::size_t i = 0; all && i < came.size(); ++i) {
        double const a = sluice::in_double(came.data()[i]), b = sluice::in_double(expected.data()[i]);
        all = std::isnan(b) ? std::isnan(a)
                            : a == b || std::abs(a - b) <= tolerance * std::max(least, std::abs(b));
    }
    return all;
}
/// The same of numbers on the device and a map on the host, which are of the order of 1: a product and a sum
/// may be rounded once here and twice there.
template <class S, class Map>
bool near(sluice::cudnn::resident_parameters<S> const& came, Map const& expected, double tolerance) {
    auto numbers = xt::xtensor<S, 1>::from_shape({expected.values().size()});
    std::copy(expected.values().begin(), expected.values().end(), numbers.begin());
    return near(sluice::cudnn::fetch(came.values()), numbers, tolerance, 0.25);
}

/// The least that an optimiser needs of a net on the device.
template <class S>
class fake_net {
public:
    using scalar_type = S;
    using net_type = fake_cell<S>;
    using parameters_type = sluice::cudnn::resident_parameters<S>;

    explicit fake_net(fake_cell<S> const& cell) : parameters_(sent(cell.map)) {}

    parameters_type const& parameters() const { return parameters_; }
    template <class F>
    void update(F&& f) {
        f(parameters_.values());
        ++updates;
    }
    int updates = 0;

private:
    parameters_type parameters_;
};

} // namespace training
