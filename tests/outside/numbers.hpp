// SPDX-License-Identifier: BSL-1.0
// Random numbers for what is added from outside.
#pragma once

#include <array>
#include <cstddef>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/parameter/random.hpp>
#include <string_view>

namespace outside {

template <std::size_t Rank>
xt::xtensor<double, Rank> numbers(std::array<std::size_t, Rank> shape, std::string_view called) {
    xt::xtensor<double, Rank> tensor(shape);
    sluice::random_stream stream(sluice::seed{3}, called);
    for (double& v : tensor)
        v = stream.uniform(-1, 1);
    return tensor;
}

} // namespace outside
