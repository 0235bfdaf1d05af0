// SPDX-License-Identifier: BSL-1.0
// A member that lets an object tell that it was moved from.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::detail {

/// True until it is moved from, and again once a value is assigned to it.
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

    explicit operator bool() const { return here_; }

    /// Throws `std::logic_error` if the object, called `what`, was moved from.
    void require(std::string_view what) const {
        if (!here_)
            throw std::logic_error("sluice: " + std::string(what) +
                                   " was moved from, and is empty; use the "
                                   "object that it was moved to, or assign another one to it first");
    }

private:
    bool here_ = true;
};

} // namespace sluice::detail
