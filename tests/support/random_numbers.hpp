// SPDX-License-Identifier: BSL-1.0
// Random numbers without tensors.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace support {

/// From -1 to 1.
template <class S>
std::vector<S> random_numbers(std::size_t count, std::mt19937& from) {
    std::vector<S> all(count);
    for (S& number : all)
        number = std::uniform_real_distribution<S>(-1, 1)(from);
    return all;
}

} // namespace support
