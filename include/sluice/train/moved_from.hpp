// SPDX-License-Identifier: BSL-1.0
// What was moved from says so, instead of being read.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace sluice::detail {

/// A tensor that was moved from keeps its shape, but not its numbers.
template <class Tensor>
void require_numbers(std::string const& what, Tensor const& tensor) {
    std::size_t expected = 1;
    for (auto const extent : tensor.shape())
        expected *= static_cast<std::size_t>(extent);
    if (tensor.size() != expected)
        throw std::invalid_argument("sluice: " + what + " was moved from; use what it was moved to");
}

/// A member of objects that tell when they were moved from.
class content {
public:
    content() = default;
    content(content const&) = default;
    content(content&& other) noexcept : here_(std::exchange(other.here_, false)) {}
    content& operator=(content const&) = default;
    content& operator=(content&& other) noexcept {
        here_ = std::exchange(other.here_, false);
        return *this;
    }
    ~content() = default;

    bool is_here() const { return here_; }

private:
    bool here_ = true;
};

} // namespace sluice::detail
