// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

/// Seconds of one call: a GRU in cuDNN's form over so many steps; with `trains`, forward and backward.
using time_function = double(std::size_t units, std::size_t steps, std::size_t batch, bool trains);

namespace for_x86_64 {
time_function time_gru;
}
namespace for_avx2 {
time_function time_gru;
}
namespace for_avx512 {
time_function time_gru;
}
