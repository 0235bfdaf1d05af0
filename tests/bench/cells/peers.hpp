// SPDX-License-Identifier: BSL-1.0
// The same cell in other libraries: a GRU in cuDNN's form or an LSTM without peepholes, batch and sequence of any size.
#pragma once

#include "rounds.hpp"
#include <cstddef>
#include <optional>
#include <vector>

namespace bench {

enum class cell_kind { cudnn_gru, lstm };

/// A cell with its numbers; gates side by side in the columns of each matrix, row-major.
struct cell_numbers {
    cell_kind kind{};
    std::size_t input = 0, units = 0;
    std::vector<float>
        w{}; ///< [input, gates units]; reset, update, candidate; or input, forget, candidate, output
    std::vector<float> r{};           ///< [units, gates units]
    std::vector<float> b{};           ///< [gates units]
    std::vector<float> b_recurrent{}; ///< [units], of the GRU's candidate, inside of the reset gate

    std::size_t gates() const { return kind == cell_kind::lstm ? 4 : 3; }
    double flops() const { return 2. * static_cast<double>((input + units) * gates() * units); }
};

/// A sequence from zeros; of one step its state goes on into the next call.
struct sequence {
    std::size_t steps = 1, batch = 1;
    std::vector<float> xs{};  ///< [steps, batch, input]
    std::vector<float> dys{}; ///< [steps, batch, units]; none: inference
};

// The answer of inference is the outputs, of training the gradient of the inputs, then of w.

contestant this_library(cell_numbers const& cell, sequence const& over);
/// The same with extents that the compiler knows, in a stream; steps only.
std::optional<contestant> this_library_fixed(cell_numbers const& cell, sequence const& over);
/// None: it does not do this work.
std::optional<contestant> onednn(cell_numbers const& cell, sequence const& over);
std::optional<contestant> torch_library(cell_numbers const& cell, sequence const& over);
std::optional<contestant> eigen(cell_numbers const& cell, sequence const& over);

} // namespace bench
