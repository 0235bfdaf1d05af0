// SPDX-License-Identifier: BSL-1.0
// The layout of weights and tape, and what forward and backward share.
#include "cudnn_network.hpp"

namespace host_device::cudnn {
namespace {

std::size_t area(int rows, int columns) {
    return std::size_t(rows) * std::size_t(columns);
}

std::size_t matrices_of(network const& net, int pseudo_layer) {
    int const layer = pseudo_layer / net.directions;
    std::size_t const input = layer == 0 && net.skip ? 0 : area(net.units, net.width_in(layer));
    return std::size_t(net.gates()) * (input + area(net.units, net.outputs)) +
           (net.projected() ? area(net.outputs, net.units) : 0);
}

} // namespace

block network::matrix(int pseudo_layer, int id) const {
    std::size_t at = 0;
    for (int before = 0; before < pseudo_layer; ++before)
        at += matrices_of(*this, before);
    int const layer = pseudo_layer / directions;
    bool const absent = layer == 0 && skip;
    int const columns = absent ? 0 : width_in(layer);
    if (id < gates())
        return absent ? block{} : block{at + std::size_t(id) * area(units, columns), units, columns};
    at += std::size_t(gates()) * area(units, columns);
    if (id < 2 * gates())
        return {at + std::size_t(id - gates()) * area(units, outputs), units, outputs};
    at += std::size_t(gates()) * area(units, outputs);
    return projected() ? block{at, outputs, units} : block{};
}

block network::bias(int pseudo_layer, int id) const {
    bool const of_input = id < gates();
    if (id >= 2 * gates() || !(of_input ? input_bias : recurrent_bias))
        return {};
    std::size_t at = 0;
    for (int each = 0; each < pseudo_layers(); ++each)
        at += matrices_of(*this, each);
    int const sides = int(input_bias) + int(recurrent_bias);
    int const side = of_input ? 0 : int(input_bias);
    int const gate = of_input ? id : id - gates();
    return {at + area((pseudo_layer * sides + side) * gates() + gate, units), units, 1};
}

std::size_t network::weights() const {
    std::size_t all = 0;
    for (int each = 0; each < pseudo_layers(); ++each)
        all += matrices_of(*this, each);
    return all + area(pseudo_layers() * (int(input_bias) + int(recurrent_bias)) * gates(), units);
}

record::record(network const& net) {
    auto const units = std::size_t(net.units), outputs = std::size_t(net.outputs);
    auto const all = std::size_t(net.gates()) * units;
    cell = all;
    unprojected = cell + units;
    output = unprojected + units;
    d_input = output + outputs;
    d_recurrent = d_input + all;
    d_output = d_recurrent + all;
    count = d_output + outputs;
}

tape::tape(network const& net, sequences const& seqs)
    : in(net), values(count(net, seqs)), outputs_(net.width_out()), steps_(seqs.steps), batch_(seqs.batch),
      pseudo_layers_(net.pseudo_layers()) {}

std::size_t tape::count(network const& net, sequences const& seqs) {
    return seqs.rows() *
           (std::size_t(net.pseudo_layers()) * record(net).count + area(net.layers - 1, net.width_out()));
}

std::size_t tape::at(int pseudo_layer, int t, int b) const {
    return (area(pseudo_layer, steps_) * std::size_t(batch_) + area(t, batch_) + std::size_t(b)) * in.count;
}

std::size_t tape::factors_at(int layer, int t, int b) const {
    return at(pseudo_layers_, 0, 0) +
           (area(layer - 1, steps_) * std::size_t(batch_) + area(t, batch_) + std::size_t(b)) *
               std::size_t(outputs_);
}

} // namespace host_device::cudnn
