// SPDX-License-Identifier: BSL-1.0
// The same cell in other libraries: a GRU in cuDNN's form or with the reset gate before the product, an LSTM
// without peepholes, with a projection or in groups; batch and sequence of any size.
#pragma once

#include "rounds.hpp"
#include <cstddef>
#include <optional>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <string>
#include <vector>

namespace bench {

enum class cell_kind { cudnn_gru, gru, lstm };

/// A cell with its numbers; gates side by side in the columns of each matrix, row-major.
struct cell_numbers {
    cell_kind kind{};
    std::size_t input = 0, units = 0;
    std::size_t projection = 0; ///< of an LSTM; 0: none
    std::size_t groups = 1;     ///< of an LSTM: each group has matrices of its own, one after the other
    std::vector<float>
        w{}; ///< [groups, input / groups, gates units / groups]; gates r, u, n; or i, f, candidate, o
    std::vector<float> r{};           ///< [groups, outputs / groups, gates units / groups]
    std::vector<float> b{};           ///< [gates units]
    std::vector<float> b_recurrent{}; ///< [units], of the candidate of cuDNN's GRU, inside of the reset gate
    std::vector<float> p{};           ///< [units, projection]

    std::size_t gates() const { return kind == cell_kind::lstm ? 4 : 3; }
    std::size_t outputs() const { return projection > 0 ? projection : units; }
    double flops() const {
        return 2. * static_cast<double>((input + outputs()) * gates() * units / groups + units * projection);
    }
};

/// A sequence from zeros; of one step its state goes on into the next call.
struct sequence {
    std::size_t steps = 1, batch = 1;
    std::vector<float> xs{};  ///< [steps, batch, input]
    std::vector<float> dys{}; ///< [steps, batch, outputs]; none: inference
    int threads = 1;

    bool trains() const { return !dys.empty(); }
    bool is_step() const { return steps == 1 && !trains(); }
};

// The answer of inference is the outputs, of training the gradient of the inputs, then of w. None: it does
// not do this work.

/// This library.
std::optional<contestant> this_library(cell_numbers const& cell, sequence const& over);
/// The same with extents that the compiler knows, in a stream; steps only.
std::optional<contestant> this_library_fixed(cell_numbers const& cell, sequence const& over);
/// The same on two threads; where the library has no such policy, none.
std::optional<contestant> this_library_threaded(cell_numbers const& cell, sequence const& over);
/// With weights of bfloat16, or of int8: GRUs in cuDNN's form.
std::optional<contestant> this_library_narrow(bool in_bytes, cell_numbers const& cell, sequence const& over);
/// LSTMs with a projection, or in groups.
std::optional<contestant> this_library_lstms(cell_numbers const& cell, sequence const& over);

std::optional<contestant> onednn(cell_numbers const& cell, sequence const& over);
/// The one of a folder that the build was told of, beside the system's.
std::optional<contestant> newest_onednn(cell_numbers const& cell, sequence const& over);
std::optional<contestant> onnx_runtime(cell_numbers const& cell, sequence const& over);
std::optional<contestant> torch_library(cell_numbers const& cell, sequence const& over);
std::optional<contestant> eigen(cell_numbers const& cell, sequence const& over);
std::optional<contestant> eigen_of_run_time(cell_numbers const& cell, sequence const& over);
/// RTNeural's method for cells of constant sizes, by hand on xsimd; steps only.
std::optional<contestant> rtneural_method(cell_numbers const& cell, sequence const& over);
/// Products by dnnl_sgemm, the rest in loops by hand.
std::optional<contestant> by_hand(cell_numbers const& cell, sequence const& over);
/// Groups in one batched product of PyTorch's.
std::optional<contestant> torch_groups(cell_numbers const& cell, sequence const& over);

// What runs; an oneDNN says its version in its name.
std::string onednn_version();
std::string onnx_version();
std::string torch_version();
std::string eigen_version();

using maker = std::optional<contestant> (*)(cell_numbers const&, sequence const&);
/// An LSTM in groups as that many of a library's own, one after the other; x is cut before, and y stays in
/// pieces.
std::optional<contestant> separately(maker make, cell_numbers const& cell, sequence const& over);

/// GRU 16 and dense 16 to 1 for one audio sample: a work with both sides.
work audio_sample();
/// A cell by its page's name, beside cuDNN's GRU of the same sizes by the time of a multiplication: as many
/// steps, rows, units.
std::optional<work> user_work(std::string const& page, std::size_t steps, std::size_t batch,
                              std::size_t units);
/// The same without a peer, on numbers that other languages make as easily; with its gradient where asked.
std::optional<work> plain_work(std::string const& page, std::size_t steps, std::size_t batch,
                               std::size_t units, bool trains);

} // namespace bench
