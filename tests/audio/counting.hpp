// SPDX-License-Identifier: BSL-1.0
// How often a thread asks for memory. allocations.cpp replaces malloc and its kin in the whole program.
#pragma once

#include <cstddef>

namespace audio_test {

/// Of this thread since the program began: memory asked for, and given back.
std::size_t calls_of_memory() noexcept;

/// Calls while f runs.
template <class F>
std::size_t calls_in(F const& f) {
    std::size_t const before = calls_of_memory();
    f();
    return calls_of_memory() - before;
}

} // namespace audio_test
