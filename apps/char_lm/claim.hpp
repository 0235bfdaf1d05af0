// SPDX-License-Identifier: BSL-1.0
#pragma once

// Two trainings that are given one checkpoint, as in two terminals that both leave --checkpoint away, would
// overwrite each other by turns. The first one holds a lock on the empty file PATH.lock, which is there as
// long as it runs. A lock ends with its program, so a file that a killed program has left after is in
// the way of none; file systems without locks do without.

#include "descriptor.hpp"

#include <string>

namespace char_lm {

class claim {
public:
    claim() = default;                       // holds nothing
    explicit claim(const std::string& path); // throws bad_call when another program holds it
    claim(claim&&) noexcept = default;
    claim& operator=(claim&& other) noexcept;
    ~claim();

private:
    std::string lock_;
    descriptor file_;
};

} // namespace char_lm
