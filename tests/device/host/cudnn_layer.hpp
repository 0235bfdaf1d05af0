// SPDX-License-Identifier: BSL-1.0
// What the passes over a layer share: products with a block of the weight space, the order of time of a
// direction, and the row that enters a layer.
#pragma once

#include "cudnn_network.hpp"

namespace host_device::cudnn {

/// out[row] += sum of matrix[row, column] in[column]; in four sums that do not wait for each other
inline void add_product(block const& m, double const* weights, double const* in, double* out) {
    double const* row = weights + m.at;
    for (int r = 0; r < m.rows; ++r, row += m.columns) {
        double sums[4] = {};
        int c = 0;
        for (; c + 4 <= m.columns; c += 4)
            for (int k = 0; k < 4; ++k)
                sums[k] += row[c + k] * in[c + k];
        for (; c < m.columns; ++c)
            sums[0] += row[c] * in[c];
        out[r] += (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
}

/// out[column] += sum of matrix[row, column] in[row]
inline void add_transposed(block const& m, double const* weights, double const* in, double* out) {
    double const* row = weights + m.at;
    for (int r = 0; r < m.rows; ++r, row += m.columns)
        for (int c = 0; c < m.columns; ++c)
            out[c] += row[c] * in[r];
}

/// gradient[row, column] += left[row] right[column]
inline void add_outer(block const& m, double const* left, double const* right, double* gradients) {
    double* row = gradients + m.at;
    for (int r = 0; r < m.rows; ++r, row += m.columns)
        for (int c = 0; c < m.columns; ++c)
            row[c] += left[r] * right[c];
}

/// The time of a direction's step number s in a sequence.
inline int time_of(int direction, int s, int length) {
    return direction == 0 ? s : length - 1 - s;
}

/// What enters a layer at a time: the network's input, or both directions of the layer below times dropout's
/// factors.
inline void enter(network const& net, sequences const& seqs, reals const& x, tape const& kept,
                  rounding stored, int layer, int t, int b, reals& row) {
    row.resize(std::size_t(net.width_in(layer)));
    if (layer == 0) {
        double const* from = x.data() + seqs.row(t, b) * row.size();
        row.assign(from, from + row.size());
        return;
    }
    double const* factors = kept.values.data() + kept.factors_at(layer, t, b);
    for (int d = 0; d < net.directions; ++d) {
        double const* h =
            kept.values.data() + kept.at((layer - 1) * net.directions + d, t, b) + kept.in.output;
        for (int i = 0; i < net.outputs; ++i) {
            int const at = d * net.outputs + i;
            row[std::size_t(at)] = factors[at] == 1 ? h[i] : stored(h[i] * factors[at]);
        }
    }
}

/// Where a pseudo-layer's state of one sequence lies.
inline std::size_t state_at(sequences const& seqs, int pseudo_layer, int b, int width) {
    return (std::size_t(pseudo_layer) * std::size_t(seqs.batch) + std::size_t(b)) * std::size_t(width);
}

} // namespace host_device::cudnn
