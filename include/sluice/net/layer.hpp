// SPDX-License-Identifier: BSL-1.0
// A layer of a net (net/net.hpp): the same page in one direction or in both, without its names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <sluice/core/arithmetic.hpp>
#include <sluice/core/xtensor_headers.hpp>
#include <sluice/net/dropout.hpp>
#include <sluice/net/engine.hpp>
#include <span>
#include <string>
#include <vector>

namespace sluice {

/// A cell of a layer: one direction.
template <class Memory>
struct net_cell {
    using scalar = typename Memory::scalar;
    /// Masks on the host, for each input that is one, and nothing for others: [1, 1, width] where they are
    /// the same for all rows, [1, batch, width] where they are at all times. Without a draw they are those of
    /// inference. The first row is that one of a larger batch.
    using masks_type = std::function<std::vector<xt::xtensor<scalar, 3>>(
        std::size_t steps, std::size_t batch, std::optional<std::uint64_t> draw, std::size_t first_row)>;

    std::shared_ptr<engine<scalar, typename Memory::kernels>> runs{};
    std::size_t page = 0; ///< its place in a list of all, and that of its programs
    std::string prefix{}; ///< of a cell of a stack: what the names of its parameters begin with
    sizes extents{};
    std::vector<tensor_place> places{}; ///< of its parameters in the array of all, by their names in the page
    std::vector<char> is_given{}; ///< of each parameter; false for a fixed one that nothing has given a value
    std::vector<arithmetic_of<scalar>> settings{};
    std::vector<int> starts{};         ///< of each state the parameter at which it starts, or -1: at zeros
    std::vector<std::size_t> widths{}; ///< of all inputs, or of x where there is none: it says how many rows
    bool has_inputs = true;
    std::size_t reads = 0;                            ///< which of them is what the layer reads
    masks_type masks{};                               ///< none, where no input is one
    std::vector<typename Memory::tensor> constants{}; ///< those of inference

    cell_numbers<scalar> numbers(std::span<scalar const> parameters) const {
        return {extents, places, parameters, settings};
    }
};

template <class Memory>
struct net_layer {
    std::vector<net_cell<Memory>> ways{}; ///< forward before backward
    bool is_reversed = false;             ///< of one direction
    bool is_residual = false;
    std::size_t input = 0, output = 0; ///< of one direction
    std::size_t first_row = 0;         ///< in the states
    std::vector<std::size_t> states{}; ///< their places in the list of all
    dropout after{0};                  ///< between its outputs and the next layer

    bool turns(std::size_t way) const { return is_reversed || way == 1; }
};

/// A state of all rows, [rows, batch, width].
struct net_state_place {
    std::string called;
    std::size_t rows = 1, width = 0;
};

} // namespace sluice
