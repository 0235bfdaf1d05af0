// SPDX-License-Identifier: BSL-1.0
// The umbrella of the core: includes only. A backend's header adds what runs it; checkpoints, which bring a
// JSON library with them, are included by programs that save: sluice/checkpoint/checkpoint.hpp.
#pragma once

#include <sluice/core/config.hpp>
#if __cplusplus >= 202002L // otherwise config.hpp has said so, and nothing is to be heard after it

// First, so that a refusal is printed with the shortest list of headers in front of it.
#include <sluice/core/refuse.hpp>

#include <sluice/cell/cell.hpp>
#include <sluice/check/gradient_check.hpp>
#include <sluice/core/half.hpp>
#include <sluice/core/int8.hpp>
#include <sluice/net/dropout.hpp>
#include <sluice/sequence/backward.hpp>
#include <sluice/sequence/batch_major.hpp>
#include <sluice/sequence/stack_front.hpp>
#include <sluice/sequence/stream.hpp>
#include <sluice/sequence/unroll.hpp>
#include <sluice/train/activity.hpp>
#include <sluice/train/adam.hpp>
#include <sluice/train/clip.hpp>
#include <sluice/train/error_to_signal.hpp>
#include <sluice/train/mean_squared_error.hpp>
#include <sluice/train/penalty.hpp>
#include <sluice/train/sgd.hpp>
#include <sluice/train/softmax_cross_entropy.hpp>

#endif
