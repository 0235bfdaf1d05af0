// SPDX-License-Identifier: BSL-1.0
// The least that an optimiser needs of a cell: a map of parameters, and `update_values`. Nothing recurrent.
#pragma once

#include <cstddef>
#include <sluice/core/list.hpp>
#include <sluice/core/name.hpp>
#include <sluice/parameter/parameters.hpp>
#include <string_view>
#include <vector>

using namespace sluice::literals;

template <class S>
struct fake_tensors {
    using scalar = S;
    struct entry {
        sluice::name called;
        std::size_t rank;
    };
    static constexpr entry all[]{
        {sluice::name("W_r"), 2}, {sluice::name("b_r"), 1}, {sluice::name("R_r"), 3}};
    static constexpr sluice::view<entry> entries{all, 3};
};

template <class S>
struct fake_cell {
    using scalar_type = S;
    using parameters_type = sluice::named_arena<fake_tensors<S>>;

    parameters_type map = zeros(2, 3);
    int updates = 0;

    static parameters_type zeros(std::size_t rows, std::size_t cols) {
        return parameters_type(sluice::arena<S>({{.called = "W_r", .rank = 2, .extents = {1, rows, cols}},
                                                 {.called = "b_r", .rank = 1, .extents = {1, 1, cols}},
                                                 {.called = "R_r", .rank = 3, .extents = {2, rows, cols}}}));
    }

    /// Different numbers in every place, of both signs, none of them zero.
    static parameters_type pattern(double scale = 1, std::size_t rows = 2, std::size_t cols = 3) {
        auto result = zeros(rows, cols);
        double next = 0.5;
        sluice::for_each_parameter(result, [&](auto, auto& tensor) {
            for (auto& x : tensor) {
                x = sluice::rounded<S>(scale * next);
                next = -next - (next > 0 ? 0.25 : -0.125);
            }
        });
        return result;
    }

    parameters_type const& parameters() const { return map; }

    template <class F>
    void update_values(F&& f) {
        f(map.values());
        ++updates;
    }
};

/// All numbers of a parameter map in order.
template <class Map>
std::vector<double> flat(Map const& map) {
    std::vector<double> numbers;
    for (auto const& x : map.values())
        numbers.push_back(sluice::in_double(x));
    return numbers;
}
