// SPDX-License-Identifier: BSL-1.0
// The largest error of rounding to 16 bits, relative to the number.
#pragma once

#include <sluice/core/half.hpp>

namespace support {

constexpr double rounding_of_half = 0x1p-11;
constexpr double rounding_of_bfloat16 = 0x1p-8;

} // namespace support
