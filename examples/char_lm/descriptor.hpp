// SPDX-License-Identifier: BSL-1.0
#pragma once

// An open file that is closed at the end.

#include <unistd.h>
#include <utility>

namespace char_lm {

class descriptor {
public:
    explicit descriptor(int number = -1) : number_(number) {} // negative: nothing is open
    descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~descriptor() {
        if (is_open())
            close(number_);
    }

    bool is_open() const { return number_ >= 0; }
    int number() const { return number_; }

private:
    int number_;
};

} // namespace char_lm
