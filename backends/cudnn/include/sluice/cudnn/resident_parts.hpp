// SPDX-License-Identifier: BSL-1.0
// What layers on the device are made of (cudnn/resident_layers.hpp): cells, layers, sequences, tapes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <sluice/cudnn/engine.hpp>
#include <sluice/cudnn/tensor.hpp>
#include <sluice/sequence/dropout.hpp>
#include <string>
#include <vector>

namespace sluice::cudnn {

/// A cell of a layer: one direction.
template <class S>
struct resident_cell {
    /// Masks on the host, for each input that is one, and nothing for others: [1, 1, width] where they are
    /// the same for all rows, [1, batch, width] where they are at all times. Without a draw they are those of
    /// inference.
    using masks_type = std::function<std::vector<xt::xtensor<S, 3>>(std::size_t steps, std::size_t batch,
                                                                    std::optional<std::uint64_t> draw)>;

    std::shared_ptr<engine<S>> of_cudnn{}, planned{}; ///< the first may be absent, and runs no resets
    std::vector<std::size_t> widths{};                ///< of all inputs
    std::size_t reads = 0;                            ///< which of them is what the layer reads
    masks_type masks{};                               ///< none, where no input is one
    std::vector<tensor<S, 3>> constants{};            ///< those of inference

    std::shared_ptr<engine<S>> const& runs(reset_mask const& resets) const {
        return of_cudnn && resets.is_none() ? of_cudnn : planned;
    }
};

template <class S>
struct resident_layer {
    std::vector<resident_cell<S>> ways{}; ///< forward before backward
    bool is_reversed = false;             ///< of one direction
    bool is_residual = false;
    std::size_t input = 0, output = 0; ///< of one direction
    std::size_t first_row = 0;         ///< in the states
    std::vector<std::size_t> states{}; ///< their places in the list of all
    dropout behind{0};                 ///< on the way to the next layer

    bool turns(std::size_t way) const { return is_reversed || way == 1; }
};

/// A state of all rows, [rows, batch, width].
struct resident_place {
    std::string called;
    std::size_t rows = 1, width = 0;
};

/// What unroll is given. All tensors are of the queue that runs it, and nobody else's.
template <class S>
struct resident_sequence {
    std::vector<tensor<S, 3>> inputs{}; ///< of a cell by itself all; of layers what the first one reads
    std::vector<tensor<S, 3>> states{};
    std::vector<std::size_t> lengths{};
    reset_mask resets{};
    std::optional<std::uint64_t> draw{}; ///< none: inference
};

/// What backward reads.
template <class S>
struct resident_tape {
    struct way {
        std::shared_ptr<engine<S>> by{};
        std::shared_ptr<void const> kept{};
        std::vector<tensor<S, 3>> inputs{}; ///< of those that are not what the layer reads, as it lies
    };
    struct layer {
        tensor<S, 3> xs{};
        std::vector<way> ways{};
        tensor<arithmetic_of<S>, 3> mask{}; ///< of its outputs; none where nothing is dropped
    };
    std::size_t steps = 0, batch = 0;
    std::vector<std::size_t> lengths{};
    tensor<std::size_t, 1> ends{}; ///< the same on the device, where there are any
    std::vector<tensor<S, 3>> states{};
    std::vector<layer> layers{}; ///< one, where cuDNN ran all of them
};

template <class S>
struct resident_answer {
    tensor<S, 3> outputs{};
    std::vector<tensor<S, 3>> states{};
};
template <class S>
struct resident_back {
    std::vector<tensor<S, 3>> inputs{}, states{};
};

} // namespace sluice::cudnn
