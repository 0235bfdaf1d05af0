// SPDX-License-Identifier: BSL-1.0
// What is compiled for each instruction set: a few cells, run and differentiated.
#pragma once

#include <cstddef>
#include <vector>

namespace instruction_sets_test {

struct results {
    std::size_t lanes = 0; ///< of floats that are computed at once
    std::vector<double> outputs{}, gradients{};
};

/// The same random cells, inputs and gradients for each.
using run_function = results(bool in_double, std::size_t units, std::size_t batch);
/// Outputs alone, of weights that are kept as int8.
using narrow_function = results(std::size_t units, std::size_t batch);

namespace for_x86_64 {
run_function run_gru, run_lstm;
narrow_function run_int8;
} // namespace for_x86_64
namespace for_avx2 {
run_function run_gru, run_lstm;
narrow_function run_int8;
} // namespace for_avx2
namespace for_avx512 {
run_function run_gru, run_lstm;
narrow_function run_int8;
} // namespace for_avx512

} // namespace instruction_sets_test
