// SPDX-License-Identifier: BSL-1.0
// The least that an optimiser needs of a cell: a map of parameters, and `update`. Nothing recurrent.
#pragma once

#include <boost/hana/map.hpp>
#include <boost/hana/pair.hpp>
#include <cstddef>
#include <sluice/core/name.hpp>
#include <sluice/core/xtensor.hpp>
#include <sluice/parameter/parameters.hpp>
#include <span>

using namespace sluice::literals;

template <class S>
struct fake_cell {
    using scalar_type = S;
    using parameters_type =
        decltype(boost::hana::make_map(boost::hana::make_pair("W_r"_s, xt::xtensor<S, 2>()),
                                       boost::hana::make_pair("b_r"_s, xt::xtensor<S, 1>()),
                                       boost::hana::make_pair("R_r"_s, xt::xtensor<S, 3>())));

    parameters_type map = zeros(2, 3);
    int updates = 0;

    static parameters_type zeros(std::size_t rows, std::size_t cols) {
        xt::xtensor<S, 2> matrix(std::array{rows, cols}, S{0});
        xt::xtensor<S, 1> vector(std::array{cols}, S{0});
        xt::xtensor<S, 3> grouped(std::array{std::size_t{2}, rows, cols}, S{0});
        return boost::hana::make_map(boost::hana::make_pair("W_r"_s, matrix),
                                     boost::hana::make_pair("b_r"_s, vector),
                                     boost::hana::make_pair("R_r"_s, grouped));
    }

    /// Different numbers in every place, of both signs, none of them zero.
    static parameters_type pattern(double scale = 1, std::size_t rows = 2, std::size_t cols = 3) {
        auto result = zeros(rows, cols);
        double next = 0.5;
        sluice::for_each_parameter(result, [&](auto, auto& tensor) {
            for (auto& x : tensor) {
                x = static_cast<S>(scale * next);
                next = -next - (next > 0 ? 0.25 : -0.125);
            }
        });
        return result;
    }

    parameters_type const& parameters() const { return map; }

    template <class F>
    void update(F&& f) {
        sluice::for_each_parameter(
            map, [&](auto key, auto& tensor) { f(key, std::span<S>(tensor.data(), tensor.size())); });
        ++updates;
    }
};

/// All numbers of a parameter map in order.
template <class Map>
auto flat(Map const& map) {
    std::vector<double> result;
    sluice::for_each_parameter(map, [&](auto, auto const& tensor) {
        for (double x : tensor)
            result.push_back(x);
    });
    return result;
}
