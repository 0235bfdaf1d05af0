// SPDX-License-Identifier: BSL-1.0
#include "cudnn_layer.hpp"
#include <algorithm>
#include <cmath>

namespace host_device::cudnn {
namespace {

/// The state that a step read: that of the step before it, or the first.
double const* before(network const& net, sequences const& seqs, states const& first, tape const& kept,
                     int each, int s, int b, bool cell) {
    int const length = seqs.lengths[std::size_t(b)];
    if (s == 0)
        return (cell ? first.c : first.h).data() + state_at(seqs, each, b, cell ? net.units : net.outputs);
    return kept.values.data() + kept.at(each, time_of(each % net.directions, s - 1, length), b) +
           (cell ? kept.in.cell : kept.in.output);
}

/// From the gradient dh of a step's output and dc of its cell state to those of the sums in front of the
/// gates' functions, in the record; dc becomes the gradient of the cell state before, dh what reaches h'
/// directly.
void through_gates(network const& net, record const& in, double* r, double const* h_before,
                   double const* c_before, double const* du, double* dh, double* dc) {
    auto const at = [&](int gate, int i) { return std::size_t(gate * net.units + i); };
    double const* const gate = r + in.gates;
    double* const d_in = r + in.d_input;
    double* const d_rec = r + in.d_recurrent;
    for (int i = 0; i < net.units; ++i) {
        switch (net.cell) {
        case cell_kind::relu:
            d_in[i] = d_rec[i] = gate[i] > 0 ? du[i] : 0;
            dh[i] = 0;
            break;
        case cell_kind::tanh:
            d_in[i] = d_rec[i] = du[i] * (1 - gate[i] * gate[i]);
            dh[i] = 0;
            break;
        case cell_kind::gru: {
            double const reset = gate[at(0, i)], z = gate[at(1, i)], n = gate[at(2, i)];
            double const dn = du[i] * (1 - z) * (1 - n * n);
            d_in[at(0, i)] = d_rec[at(0, i)] = dn * r[in.cell + std::size_t(i)] * reset * (1 - reset);
            d_in[at(1, i)] = d_rec[at(1, i)] = du[i] * (h_before[i] - n) * z * (1 - z);
            d_in[at(2, i)] = dn;
            d_rec[at(2, i)] = dn * reset;
            dh[i] = du[i] * z;
            break;
        }
        case cell_kind::lstm: {
            double const input = gate[at(0, i)], forget = gate[at(1, i)], g = gate[at(2, i)],
                         o = gate[at(3, i)];
            double const squashed = std::tanh(r[in.cell + std::size_t(i)]);
            double const d = dc[i] + du[i] * o * (1 - squashed * squashed);
            d_in[at(0, i)] = d * g * input * (1 - input);
            d_in[at(1, i)] = d * c_before[i] * forget * (1 - forget);
            d_in[at(2, i)] = d * input * (1 - g * g);
            d_in[at(3, i)] = du[i] * squashed * o * (1 - o);
            for (int k = 0; k < 4; ++k)
                d_rec[at(k, i)] = d_in[at(k, i)];
            dc[i] = d * forget;
            break;
        }
        }
    }
    if (net.cell == cell_kind::lstm)
        std::fill_n(dh, net.outputs, 0.0);
}

} // namespace

backward_result backward_data(network const& net, sequences const& seqs, reals const& weights,
                              reals const& dy, states const& first, states const& dlast, tape& kept) {
    backward_result result{{}, dlast};
    reals above = dy, below, du(std::size_t(net.units));
    int const gates = net.gates();
    for (int layer = net.layers; layer-- > 0;) {
        auto const width = std::size_t(net.width_in(layer));
        below.assign(seqs.rows() * width, 0.0);
        for (int direction = 0; direction < net.directions; ++direction) {
            int const each = layer * net.directions + direction;
            for (int b = 0; b < seqs.batch; ++b) {
                double* const dh = result.first.h.data() + state_at(seqs, each, b, net.outputs);
                double* const dc =
                    dlast.c.empty() ? nullptr : result.first.c.data() + state_at(seqs, each, b, net.units);
                int const length = seqs.lengths[std::size_t(b)];
                for (int s = length; s-- > 0;) {
                    int const t = time_of(direction, s, length);
                    double* const r = kept.values.data() + kept.at(each, t, b);
                    double const* const from = above.data() + seqs.row(t, b) * std::size_t(net.width_out()) +
                                               std::size_t(direction * net.outputs);
                    for (int i = 0; i < net.outputs; ++i)
                        r[kept.in.d_output + std::size_t(i)] = dh[i] += from[i];
                    if (net.projected()) {
                        std::fill(du.begin(), du.end(), 0.0);
                        add_transposed(net.matrix(each, 2 * gates), weights.data(), dh, du.data());
                    } else {
                        std::copy_n(dh, net.units, du.data());
                    }
                    through_gates(net, kept.in, r, before(net, seqs, first, kept, each, s, b, false),
                                  dc == nullptr ? nullptr : before(net, seqs, first, kept, each, s, b, true),
                                  du.data(), dh, dc);
                    double* const dx = below.data() + seqs.row(t, b) * width;
                    for (int gate = 0; gate < gates; ++gate) {
                        auto const offset = std::size_t(gate * net.units);
                        double const* const d = r + kept.in.d_input + offset;
                        block const m = net.matrix(each, gate);
                        if (m.rows != 0)
                            add_transposed(m, weights.data(), d, dx);
                        else
                            std::transform(d, d + net.units, dx, dx, std::plus<>());
                        add_transposed(net.matrix(each, gates + gate), weights.data(),
                                       r + kept.in.d_recurrent + offset, dh);
                    }
                }
            }
        }
        if (layer > 0)
            for (int b = 0; b < seqs.batch; ++b)
                for (int t = 0; t < seqs.lengths[std::size_t(b)]; ++t)
                    for (std::size_t i = 0; i < width; ++i)
                        below[seqs.row(t, b) * width + i] *= kept.values[kept.factors_at(layer, t, b) + i];
        above.swap(below);
    }
    result.dx = std::move(above);
    return result;
}

void backward_weights(network const& net, sequences const& seqs, reals const& x, states const& first,
                      rounding stored, tape const& kept, reals& gradients) {
    reals row;
    int const gates = net.gates();
    auto const add_bias = [&](block const& m, double const* d) {
        for (int i = 0; i < m.rows; ++i)
            gradients[m.at + std::size_t(i)] += d[i];
    };
    for (int each = 0; each < net.pseudo_layers(); ++each)
        for (int b = 0; b < seqs.batch; ++b) {
            int const length = seqs.lengths[std::size_t(b)];
            for (int s = 0; s < length; ++s) {
                int const t = time_of(each % net.directions, s, length);
                double const* const r = kept.values.data() + kept.at(each, t, b);
                double const* const h = before(net, seqs, first, kept, each, s, b, false);
                enter(net, seqs, x, kept, stored, each / net.directions, t, b, row);
                for (int gate = 0; gate < gates; ++gate) {
                    auto const offset = std::size_t(gate * net.units);
                    double const* const d_in = r + kept.in.d_input + offset;
                    double const* const d_rec = r + kept.in.d_recurrent + offset;
                    add_outer(net.matrix(each, gate), d_in, row.data(), gradients.data());
                    add_outer(net.matrix(each, gates + gate), d_rec, h, gradients.data());
                    add_bias(net.bias(each, gate), d_in);
                    add_bias(net.bias(each, gates + gate), d_rec);
                }
                add_outer(net.matrix(each, 2 * gates), r + kept.in.d_output, r + kept.in.unprojected,
                          gradients.data());
            }
        }
}

} // namespace host_device::cudnn
