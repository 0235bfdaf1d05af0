// SPDX-License-Identifier: BSL-1.0
// What a step of training takes beside the cell: the step of an optimiser, gradients that are clipped, a loss
// with its gradient.
#pragma once

#include "rounds.hpp"
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

enum class lesson { adam, momentum, clip, cross_entropy, squares };

inline constexpr double learning_rate = 1e-3, momentum = 0.9;
/// Clipping scales at each call: the bound is so much of the last norm.
inline constexpr double shrinking = 0.999;

/// Of a GRU in cuDNN's form, or of predictions [rows, classes].
struct lesson_numbers {
    std::array<std::size_t, 4> parts{}; ///< of the parameters: matrices and biases
    std::vector<float> weights{}, gradients{};
    std::size_t units = 0, rows = 0, classes = 0;
    std::vector<float> predictions{}, targets{};
    std::vector<std::int64_t> labels{};
};

// The answer is the weights after one step, the gradients after one clipping, or the gradient of the loss.

contestant this_lesson(lesson what, lesson_numbers const& numbers);
/// Optimisers are PyTorch's fused ones.
contestant torch_lesson(lesson what, lesson_numbers const& numbers);

} // namespace bench
