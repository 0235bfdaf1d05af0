// SPDX-License-Identifier: BSL-1.0
// What was moved from says so, instead of being read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sluice/core/fail.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace sluice::detail {

/// False for a tensor that was moved from: it keeps its shape then, but not its numbers.
template <class Tensor>
bool has_numbers(Tensor const& tensor) {
    std::size_t expected = 1;
    for (auto const extent : tensor.shape())
        expected *= static_cast<std::size_t>(extent);
    return tensor.size() == expected;
}

inline constexpr std::string_view was_moved_from = " was moved from; use what it was moved to";

/// Throws `std::invalid_argument` if a tensor was moved from.
template <class Tensor>
void require_numbers(std::string_view what, Tensor const& tensor) {
    if (!has_numbers(tensor))
        fail<std::invalid_argument>({what, was_moved_from});
}

/// A member that lets an object tell: true until the object is moved from, and again once it is assigned to.
class presence {
public:
    presence() = default;
    presence(presence const&) = default;
    presence(presence&& other) noexcept : here_(std::exchange(other.here_, false)) {}
    presence& operator=(presence const&) = default;
    presence& operator=(presence&& other) noexcept {
        bool const there = std::exchange(other.here_, false);
        here_ = there && this != &other; // vectors that are moved to themselves are empty
        return *this;
    }
    ~presence() = default;

    explicit operator bool() const { return here_; }

    /// Throws `std::invalid_argument` if the object, called `what`, was moved from.
    void require(std::string_view what) const {
        if (!here_) [[unlikely]]
            refuse(what);
    }

private:
    bool here_ = true;

    [[noreturn, gnu::cold, gnu::noinline]] static void refuse(std::string_view what) {
        fail<std::invalid_argument>({what, " was moved from; use the one that it was moved to, or assign "
                                           "another one to it first"});
    }
};

/// A member that counts how often its object was assigned to.
class assignments {
public:
    assignments() = default;
    assignments(assignments const&) noexcept {}
    assignments& operator=(assignments const&) noexcept {
        ++count_;
        return *this;
    }
    ~assignments() = default;

    std::uint64_t count() const { return count_; }

private:
    std::uint64_t count_ = 0;
};

} // namespace sluice::detail
