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

namespace for_x86_64 {
run_function run_gru, run_lstm;
}
namespace for_avx2 {
run_function run_gru, run_lstm;
}
namespace for_avx512 {
run_function run_gru, run_lstm;
}

} // namespace instruction_sets_test
