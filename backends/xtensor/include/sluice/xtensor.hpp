// SPDX-License-Identifier: BSL-1.0
// Sluice with the CPU backend, on xtensor: what a program includes.
#pragma once

#include <sluice/sluice.hpp>
#include <sluice/xtensor/planned.hpp>
#include <sluice/xtensor/reference.hpp>

namespace sluice {

struct default_backend : xtensor::planned {};

} // namespace sluice
