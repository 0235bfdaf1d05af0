// SPDX-License-Identifier: BSL-1.0
// What goes into a net (net/net.hpp) and comes out of it, in the memory of a backend. For two layers of GRUs
// of 5 units, with 3 inputs, over 4 steps of a batch of 2:
//
//   net_sequence     inputs {[4, 2, 3]}, states {[2, 2, 5]}: row = layer x directions + direction
//   net_result       outputs [4, 2, 5], states {[2, 2, 5]}
//   net_tape         what each layer read, and what its engines kept
//   net_upstream     outputs [4, 2, 5], states {[2, 2, 5]}
//   net_gradients    inputs {[4, 2, 3]}, states {[2, 2, 5]}
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <sluice/execute/rows.hpp>
#include <sluice/parameter/arena.hpp>
#include <span>
#include <vector>

namespace sluice {

/// What a net is run on.
template <class Memory>
struct net_sequence {
    using tensor = typename Memory::tensor;
    std::vector<tensor> inputs{}; ///< of a cell by itself all; of layers what the first one reads
    std::vector<tensor> states{};
    std::vector<std::size_t> lengths{};
    reset_mask resets{};
    std::optional<std::uint64_t> draw{}; ///< of the masks; none: inference
    std::size_t first_row = 0;           ///< which row of a larger batch row 0 is; of the masks
    std::size_t steps_of_part = 0;       ///< of an engine_sequence
};

/// What backward reads.
template <class Memory>
struct net_tape {
    using tensor = typename Memory::tensor;
    struct way {
        std::shared_ptr<void const> kept{}; ///< the engine's
        /// What the cell read; nothing where that is what the layer reads, as it lies.
        std::vector<std::optional<tensor>> inputs{};
    };
    struct layer {
        tensor xs{};
        std::vector<way> ways{};
        std::optional<typename Memory::mask> mask{}; ///< of its outputs, where any are dropped
    };
    std::size_t steps = 0, batch = 0;
    std::vector<std::size_t> lengths{};
    typename Memory::ends ends{}; ///< the same where any direction is turned
    std::optional<std::uint64_t> draw{};
    std::size_t first_row = 0;
    std::vector<tensor> states{};
    bool is_whole = false; ///< one engine ran all layers, which are one here
    std::vector<layer> layers{};
};

/// What a net gives.
template <class Memory>
struct net_result {
    typename Memory::tensor outputs{};
    std::vector<typename Memory::tensor> states{};
};

/// The gradients of what a net gave.
template <class Memory>
struct net_upstream {
    typename Memory::tensor outputs{};
    std::vector<typename Memory::tensor> states{};
    bool want_inputs = true;
    std::function<void(std::size_t)>
        ready{}; ///< is called with a layer whose parameters have their gradients
};

/// The gradients of what it was run on; those of the parameters are written into an array as theirs.
template <class Memory>
struct net_gradients {
    std::vector<typename Memory::tensor> inputs{}, states{};
};

} // namespace sluice
