// SPDX-License-Identifier: BSL-1.0
#include "learner.hpp"

#include <algorithm>
#include <array>
#include <sluice/xtensor.hpp>

namespace audio {

double error_of(std::span<float const> prediction, std::span<float const> target, double pre_emphasis) {
    std::array const shape{target.size(), std::size_t{1}, std::size_t{1}};
    auto const as_tensor = [&](std::span<float const> samples) {
        auto made = xt::xtensor<float, 3>::from_shape(shape);
        std::ranges::copy(samples, made.begin());
        return made;
    };
    return sluice::error_to_signal(as_tensor(prediction), as_tensor(target),
                                   {.pre_emphasis = pre_emphasis, .dc = 0})
        .loss();
}

} // namespace audio
