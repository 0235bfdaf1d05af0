// SPDX-License-Identifier: BSL-1.0
#pragma once

// An open file that is closed at the end.

#include <string>
#include <sys/stat.h>
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

// Does the path lead to what is open under this number?
inline bool leads_to(const std::string& path, int number) {
    struct stat named {};
    struct stat opened {};
    return stat(path.c_str(), &named) == 0 && fstat(number, &opened) == 0 && named.st_dev == opened.st_dev &&
           named.st_ino == opened.st_ino;
}

} // namespace char_lm
