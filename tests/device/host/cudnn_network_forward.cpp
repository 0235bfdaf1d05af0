// SPDX-License-Identifier: BSL-1.0
#include "cudnn_layer.hpp"
#include <algorithm>
#include <cmath>

namespace host_device::cudnn {
namespace {

double sigmoid(double a) {
    return 1 / (1 + std::exp(-a));
}

/// One step: fills the record at `to` from the input row and the states before; c is replaced.
class stepper {
public:
    stepper(network const& net, double const* weights, int pseudo_layer, rounding stored)
        : net_(net), weights_(weights), pseudo_layer_(pseudo_layer), stored_(stored), kept_(net),
          from_input_(std::size_t(net.gates() * net.units)), from_state_(from_input_.size()) {}

    void operator()(double const* x, double const* h, double* c, double* to) {
        sums(x, h);
        double* const gates = to + kept_.gates;
        double* const cells = to + kept_.cell;
        double* const unprojected = to + kept_.unprojected;
        double* const out = to + kept_.output;
        for (int i = 0; i < net_.units; ++i) {
            auto const sum = [&](int gate) { return from_input_[at(gate, i)] + from_state_[at(gate, i)]; };
            switch (net_.cell) {
            case cell_kind::relu:
                gates[i] = out[i] = stored_(sum(0) < 0 ? 0 : sum(0));
                break; // NaN stays NaN
            case cell_kind::tanh:
                gates[i] = out[i] = stored_(std::tanh(sum(0)));
                break;
            case cell_kind::gru: {
                double const r = gates[at(0, i)] = sigmoid(sum(0));
                double const z = gates[at(1, i)] = sigmoid(sum(1));
                cells[i] = from_state_[at(2, i)];
                double const n = gates[at(2, i)] = std::tanh(from_input_[at(2, i)] + r * cells[i]);
                out[i] = stored_((1 - z) * n + z * h[i]);
                break;
            }
            case cell_kind::lstm: {
                double const in = gates[at(0, i)] = sigmoid(sum(0));
                double const forget = gates[at(1, i)] = sigmoid(sum(1));
                double const fresh = gates[at(2, i)] = std::tanh(sum(2));
                double const o = gates[at(3, i)] = sigmoid(sum(3));
                c[i] = cells[i] = forget * c[i] + in * fresh;
                unprojected[i] = o * std::tanh(c[i]);
                if (!net_.projected())
                    out[i] = stored_(unprojected[i]);
                break;
            }
            }
        }
        if (!net_.projected())
            return;
        std::fill_n(out, net_.outputs, 0.0);
        add_product(net_.matrix(pseudo_layer_, 2 * net_.gates()), weights_, unprojected, out);
        std::transform(out, out + net_.outputs, out, stored_);
    }

private:
    std::size_t at(int gate, int unit) const { return std::size_t(gate * net_.units + unit); }

    void sums(double const* x, double const* h) {
        std::fill(from_input_.begin(), from_input_.end(), 0.0);
        std::fill(from_state_.begin(), from_state_.end(), 0.0);
        for (int gate = 0; gate < net_.gates(); ++gate) {
            one(gate, gate, x, from_input_);
            one(gate, net_.gates() + gate, h, from_state_);
        }
    }
    void one(int gate, int id, double const* in, reals& out) {
        double* const to = out.data() + at(gate, 0);
        block const matrix = net_.matrix(pseudo_layer_, id), bias = net_.bias(pseudo_layer_, id);
        if (matrix.rows != 0)
            add_product(matrix, weights_, in, to);
        else
            std::copy_n(in, net_.units, to);
        for (int i = 0; i < bias.rows; ++i)
            to[i] += weights_[bias.at + std::size_t(i)];
    }

    network const& net_;
    double const* weights_;
    int pseudo_layer_;
    rounding stored_;
    record kept_;
    reals from_input_, from_state_;
};

void draw_factors(network const& net, std::uint64_t const* seed, tape& kept) {
    auto const first = net.layers > 1 ? kept.factors_at(1, 0, 0) : kept.values.size();
    for (auto i = first; i < kept.values.size(); ++i) {
        double const uniform =
            seed == nullptr ? 1 : double(scrambled(*seed ^ scrambled(i - first)) >> 11) * 0x1p-53;
        kept.values[i] = seed == nullptr || net.dropout == 0 ? 1
                         : uniform < net.dropout             ? 0
                                                             : 1 / (1 - net.dropout);
    }
}

} // namespace

forward_result forward(network const& net, sequences const& seqs, reals const& weights, reals const& x,
                       states const& first, std::uint64_t const* seed, rounding stored, tape& kept) {
    draw_factors(net, seed, kept);
    forward_result result{reals(seqs.rows() * std::size_t(net.width_out())), first};
    reals row;
    for (int each = 0; each < net.pseudo_layers(); ++each) {
        int const layer = each / net.directions, direction = each % net.directions;
        stepper step(net, weights.data(), each, stored);
        for (int b = 0; b < seqs.batch; ++b) {
            double* const h = result.last.h.data() + state_at(seqs, each, b, net.outputs);
            double* const c =
                first.c.empty() ? nullptr : result.last.c.data() + state_at(seqs, each, b, net.units);
            int const length = seqs.lengths[std::size_t(b)];
            for (int s = 0; s < length; ++s) {
                int const t = time_of(direction, s, length);
                enter(net, seqs, x, kept, stored, layer, t, b, row);
                double* const to = kept.values.data() + kept.at(each, t, b);
                step(row.data(), h, c, to);
                std::copy_n(to + kept.in.output, net.outputs, h);
                if (layer + 1 == net.layers)
                    std::copy_n(h, net.outputs,
                                result.y.data() + seqs.row(t, b) * std::size_t(net.width_out()) +
                                    std::size_t(direction * net.outputs));
            }
        }
    }
    return result;
}

} // namespace host_device::cudnn
