// SPDX-License-Identifier: BSL-1.0
// The reserve space: what a forward call in training leaves for the two backward calls, under a seal that
// tells whether it is the same, untouched, and of the same arguments.
#pragma once

#include "cudnn_arguments.hpp"

namespace host_device::cudnn {

struct seal {
    enum stages : std::uint64_t { after_forward, after_data, after_weights };
    std::uint64_t mark = 0;
    std::uint64_t stage = after_forward;
    std::uint64_t problem = 0;
    std::uint64_t x = 0, y = 0, h = 0, c = 0, weights = 0; ///< contents at the forward call
    std::uint64_t tape = 0;
};

std::uint64_t hash_of(reals const& values);

/// Writes seal and tape, and 0xFF after them.
void keep(void* reserve, std::size_t bytes, seal as, tape const& kept);
/// Reads both. Stops with a sentence unless they are of this problem, at this stage, and untouched.
seal take(void const* reserve, problem const& of, seal::stages stage, tape& kept);
/// Stops unless the content is the one of the forward call.
void require_same(char const* what, std::uint64_t then, reals const& now);

} // namespace host_device::cudnn
