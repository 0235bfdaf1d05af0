// SPDX-License-Identifier: BSL-1.0
// Sluice with the CPU backend, on xtensor: what a program includes. A file that only runs cells can include
// sluice/xtensor/step.hpp in its place. Checkpoints (sluice/checkpoint/checkpoint.hpp) and the reference
// lowering (sluice/xtensor/reference.hpp) have headers of their own.
#pragma once

#include <sluice/core/config.hpp>
#if __cplusplus >= 202002L // otherwise config.hpp has said so, and nothing is to be heard after it

// First, so that a refusal is printed with the shortest list of headers in front of it.
#include <sluice/core/refuse.hpp>

#include <sluice/sluice.hpp>
#include <sluice/xtensor/runtime/runtime_of_training.hpp>
#include <sluice/xtensor/step.hpp>

#endif
