// SPDX-License-Identifier: BSL-1.0
// A recurrent network as cuDNN's RNN calls compute it, on arrays of double: layers and directions of one
// cell, with every sequence of the batch at its own length.
//
//   RNN   h = act(W x + bW + R h' + bR)
//   LSTM  i, f, o = sigmoid(...), g = tanh(W x + bW + R h' + bR), c = f c' + i g, u = o tanh(c), h = u or P u
//   GRU   r, z = sigmoid(...), n = tanh(W x + bW + r (R h' + bR)), h = (1 - z) n + z h'
//
// Gates lie in the order i f g o and r z n. A pseudo-layer is one direction of one layer: layer * directions
// + direction. The second direction goes from the end of each sequence to its beginning, and a layer above
// reads both outputs side by side. A sequence of length n has its last state after n steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace host_device::cudnn {

using reals = std::vector<double>;

enum class cell_kind { relu, tanh, lstm, gru };

/// A matrix, or a bias of one column, in the weight space; rows is 0 where the network has none.
struct block {
    std::size_t at = 0; ///< in elements
    int rows = 0, columns = 0;
};

struct network {
    cell_kind cell = cell_kind::gru;
    bool input_bias = true, recurrent_bias = true;
    int directions = 1;
    bool skip = false; ///< the first layer adds its input to every gate, with no matrix
    int inputs = 1, units = 1;
    int outputs = 1; ///< units, or the width of the projection
    int layers = 1;
    double dropout = 0; ///< between layers, in training

    int gates() const { return cell == cell_kind::lstm ? 4 : cell == cell_kind::gru ? 3 : 1; }
    bool projected() const { return outputs < units; }
    int pseudo_layers() const { return layers * directions; }
    int width_in(int layer) const { return layer == 0 ? inputs : directions * outputs; }
    int width_out() const { return directions * outputs; }

    /// All matrices of a pseudo-layer (W of each gate, R of each gate, projection), pseudo-layer after
    /// pseudo-layer; then all biases in the same order. Rows of a matrix are outputs. Nothing lies between.
    block matrix(int pseudo_layer, int id) const;
    block bias(int pseudo_layer, int id) const;
    std::size_t weights() const;
};

struct sequences {
    int steps = 0, batch = 0;
    std::vector<int> lengths;
    std::size_t rows() const { return std::size_t(steps) * std::size_t(batch); }
    std::size_t row(int t, int b) const { return std::size_t(t) * std::size_t(batch) + std::size_t(b); }
};

/// What a number becomes when it is stored.
using rounding = double (*)(double);

/// What one step of one pseudo-layer leaves after, in this order; the gradients are written by the backward
/// pass.
struct record {
    explicit record(network const& net);
    std::size_t gates = 0;   ///< after their functions
    std::size_t cell;        ///< LSTM: c. GRU: R h' + bR of the candidate
    std::size_t unprojected; ///< LSTM: o tanh(c)
    std::size_t output;
    std::size_t d_input;     ///< of the sums in front of the gates' functions, on the side of W
    std::size_t d_recurrent; ///< and on the side of R
    std::size_t d_output;
    std::size_t count;
};

/// Records of all steps, and the factors of dropout between layers: 0 or 1 / (1 - rate).
struct tape {
    tape(network const& net, sequences const& seqs);
    static std::size_t count(network const& net, sequences const& seqs);
    std::size_t at(int pseudo_layer, int t, int b) const;
    std::size_t factors_at(int layer, int t,
                           int b) const; ///< of what enters this layer, which is not the first
    record in;
    reals values;

private:
    int outputs_, steps_, batch_, pseudo_layers_;
};

struct states {
    reals h, c; ///< [pseudo-layer, batch, outputs or units]; c is empty where the cell has none
};

struct forward_result {
    reals y; ///< [time, batch, directions * outputs]; padding is 0
    states last;
};

/// Rows are [time, batch]; what stands in padding is never read. A rate of dropout in the network counts
/// where a seed is given.
forward_result forward(network const& net, sequences const& seqs, reals const& weights, reals const& x,
                       states const& first, std::uint64_t const* seed, rounding stored, tape& kept);

struct backward_result {
    reals dx; ///< padding is 0
    states first;
};

/// dlast.h and dlast.c are gradients of the last states. Writes the gradients of every step into the tape.
backward_result backward_data(network const& net, sequences const& seqs, reals const& weights,
                              reals const& dy, states const& first, states const& dlast, tape& kept);

/// Adds to `gradients`, which lies as the weights do.
void backward_weights(network const& net, sequences const& seqs, reals const& x, states const& first,
                      rounding stored, tape const& kept, reals& gradients);

/// A number that looks random, from any number.
constexpr std::uint64_t scrambled(std::uint64_t n) {
    n += 0x9E3779B97F4A7C15u;
    n = (n ^ (n >> 30)) * 0xBF58476D1CE4E5B9u;
    n = (n ^ (n >> 27)) * 0x94D049BB133111EBu;
    return n ^ (n >> 31);
}

} // namespace host_device::cudnn
