// SPDX-License-Identifier: BSL-1.0
#include "cudnn_arguments.hpp"
#include "cudnn_reserve.hpp"
#include <algorithm>
#include <cstring>
#include <initializer_list>

namespace host_device::cudnn {

std::size_t problem::state_elements(int width) const {
    return std::size_t(network.pseudo_layers()) * std::size_t(sequences.batch) * std::size_t(width);
}

std::size_t problem::c_bytes() const {
    return network.cell == cell_kind::lstm ? state_elements(network.units) * bytes_of(type) : 0;
}

std::size_t problem::work_bytes(bool training) const {
    auto const sums = sequences.rows() * std::size_t(network.gates() * network.units * network.directions);
    return 1024 + (training ? 2 : 1) * sums * bytes_of(type);
}

std::size_t problem::reserve_bytes() const {
    return sizeof(seal) + tape::count(network, sequences) * sizeof(double);
}

std::uint64_t problem::identity() const {
    std::uint64_t all = 0;
    auto const add = [&all](int n) { all = scrambled(all ^ std::uint64_t(std::int64_t(n))); };
    for (int const n : {int(network.cell), int(network.input_bias), int(network.recurrent_bias),
                        network.directions, int(network.skip), network.inputs, network.units, network.outputs,
                        network.layers, int(type), sequences.steps, sequences.batch})
        add(n);
    for (int const n : sequences.lengths)
        add(n);
    return all;
}

cudnnStatus_t check_algorithm(cudnnRNNStruct const& rnn, cudnnRNNDataStruct const& x, purpose use) {
    bool can = true;
    bool const gru = rnn.cell == CUDNN_GRU, plain = rnn.cell == CUDNN_RNN_RELU || rnn.cell == CUDNN_RNN_TANH;
    switch (rnn.algorithm) {
    case CUDNN_RNN_ALGO_PERSIST_STATIC:
        can = rnn.type == CUDNN_DATA_HALF && rnn.layers == 1 && rnn.direction == CUDNN_UNIDIRECTIONAL &&
              !gru && rnn.units <= 1024 && rnn.units % 128 == 0 && rnn.inputs % 128 == 0 &&
              x.batch % 8 == 0 && x.batch <= 128;
        break;
    case CUDNN_RNN_ALGO_PERSIST_DYNAMIC:
        can = rnn.units <= 1024;
        break;
    case CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H:
        can = rnn.units <= (use == purpose::gradients ? (plain ? 256 : 128) : (plain ? 384 : 192));
        break;
    default:
        break;
    }
    can = can && (rnn.algorithm == CUDNN_RNN_ALGO_STANDARD || !x.ragged());
    return can ? CUDNN_STATUS_SUCCESS : not_supported();
}

cudnnStatus_t describe(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn_given, purpose use,
                       cudnnRNNDataDescriptor_t x_given, cudnnRNNDataDescriptor_t y_given, problem& out) {
    if (handle == nullptr || rnn_given == nullptr || x_given == nullptr || y_given == nullptr)
        return bad_param({"the handle, the RNN descriptor, xDesc or yDesc is NULL"});
    auto const& rnn = ready("the RNN descriptor", rnn_given);
    auto const& x = ready("xDesc", x_given);
    auto const& y = ready("yDesc", y_given);
    auto const net = rnn.network();
    if (x.type != rnn.type || y.type != rnn.type)
        return bad_param({"x is of ", name_of(x.type), " and y of ", name_of(y.type), ", the network of ",
                          name_of(rnn.type)});
    if (x.width != net.inputs)
        return bad_param({"x has the width ", x.width, ", the network's inputSize is ", net.inputs});
    if (y.width != net.width_out())
        return bad_param({"y has the width ", y.width, ", the network's outputs have ", net.width_out()});
    if (x.steps != y.steps || x.batch != y.batch || x.lengths != y.lengths)
        return bad_param({"x has ", x.steps, " steps of ", x.batch, " sequences, y has ", y.steps, " of ",
                          y.batch, ", or single lengths differ"});
    if (x.layout != y.layout)
        return bad_param({"x has the layout ", int(x.layout), ", y has ", int(y.layout)});
    if (net.skip && net.inputs != net.units)
        return bad_param(
            {"without a first matrix inputSize ", net.inputs, " has to be hiddenSize ", net.units});
    if (x.ragged() && x.layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED &&
        (rnn.flags & CUDNN_RNN_PADDED_IO_ENABLED) == 0)
        return bad_param({"sequences of several lengths with padding need CUDNN_RNN_PADDED_IO_ENABLED"});
    if (auto const status = check_algorithm(rnn, x, use); status != CUDNN_STATUS_SUCCESS)
        return status;
    if (rnn.algorithm == CUDNN_RNN_ALGO_PERSIST_DYNAMIC && rnn.built.count(x.batch) == 0)
        return bad_param({"cudnnBuildRNNDynamic was not called for a batch of ", x.batch});
    for (std::size_t b = 0; b < x.lengths.size(); ++b)
        if (x.lengths[b] == 0)
            stop({"sequence ", b,
                  " has no step. What cuDNN does then is nowhere said: give it the length 1 and do "
                  "not use what comes out of it"});
    out = {alive("the handle", handle).stream, net, x.sequences(), rnn.type, x, y};
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check_states(char const* what, cudnnTensorDescriptor_t given, bool used, problem const& of,
                           int width) {
    if (!used)
        return CUDNN_STATUS_SUCCESS;
    if (given == nullptr)
        return bad_param({what, " is NULL, and a pointer that it describes is not"});
    auto const& tensor = alive(what, given);
    std::vector<int> const wanted{of.network.pseudo_layers(), of.sequences.batch, width};
    std::vector<int> const packed{of.sequences.batch * width, width, 1};
    bool fits = tensor.extents.size() >= 3 && tensor.type == of.type;
    for (std::size_t i = 0; fits && i < tensor.extents.size(); ++i)
        fits = tensor.extents[i] == (i < 3 ? wanted[i] : 1) && (i >= 3 || tensor.strides[i] == packed[i]);
    if (!fits)
        return bad_param({what, " has to be packed ", name_of(of.type), " of the extents ", wanted[0], ", ",
                          wanted[1], ", ", wanted[2]});
    return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t check_spaces(spaces const& given, problem const& of, purpose use) {
    bool const training = use != purpose::inference;
    if (given.weights == nullptr || given.weight_bytes < of.weight_bytes())
        return bad_param({"the weight space is NULL or has ", given.weight_bytes, " bytes, fewer than ",
                          of.weight_bytes()});
    if (given.work == nullptr || given.work_bytes < of.work_bytes(training))
        return bad_param({"the work space is NULL or has ", given.work_bytes, " bytes, fewer than ",
                          of.work_bytes(training)});
    if (training && (given.reserve == nullptr || given.reserve_bytes < of.reserve_bytes()))
        return bad_param({"the reserve space is NULL or has ", given.reserve_bytes, " bytes, fewer than ",
                          of.reserve_bytes()});
    return CUDNN_STATUS_SUCCESS;
}

std::vector<range> check_operands(std::vector<operand> operands) {
    std::vector<range> ranges;
    for (auto const& each : operands) {
        auto const& memory = each.memory;
        if (memory.at == nullptr && each.optional)
            continue;
        if (memory.at == nullptr)
            stop({memory.what, " is NULL; the real library does not look, and reads or writes there"});
        auto const address = reinterpret_cast<std::uintptr_t>(memory.at);
        if (address % each.element != 0)
            stop({memory.what, " begins at an address that is not a multiple of ", each.element});
        for (auto const& other : ranges) {
            auto const begin = reinterpret_cast<std::uintptr_t>(other.at);
            bool const written = memory.kind != range::device_read || other.kind != range::device_read;
            if (written && address < begin + other.bytes && begin < address + memory.bytes)
                stop({memory.what, " and ", other.what, " overlap, and one of them is written"});
        }
        require_device(memory.what, memory.at, memory.bytes);
        ranges.push_back(memory);
    }
    return ranges;
}

reals gather(cudnnRNNDataStruct const& as, void const* from) {
    auto const width = std::size_t(as.width);
    auto const seqs = as.sequences();
    reals rows(seqs.rows() * width);
    for (int b = 0; b < as.batch; ++b)
        for (int t = 0; t < as.lengths[std::size_t(b)]; ++t)
            for (std::size_t i = 0; i < width; ++i)
                rows[seqs.row(t, b) * width + i] = read(as.type, from, as.at(t, b) + i);
    return rows;
}

void scatter(cudnnRNNDataStruct const& as, void* to, reals const& rows, bool fill) {
    auto const width = std::size_t(as.width), bytes = bytes_of(as.type);
    auto const seqs = as.sequences();
    bool const padded = fill && !as.fill.empty() && as.layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;
    for (int b = 0; b < as.batch; ++b)
        for (int t = 0; t < as.steps; ++t)
            for (std::size_t i = 0; i < width; ++i) {
                if (t < as.lengths[std::size_t(b)])
                    write(as.type, to, as.at(t, b) + i, rows[seqs.row(t, b) * width + i]);
                else if (padded)
                    std::memcpy(static_cast<char*>(to) + (as.at(t, b) + i) * bytes, as.fill.data(), bytes);
            }
}

reals read_states(cudnnDataType_t type, void const* from, std::size_t count) {
    return from == nullptr ? reals(count) : read_all(type, from, count);
}

cudnnStatus_t submit(problem const& of, std::vector<range> ranges, std::function<void()> work) {
    if (enqueue(of.stream, current_call(), std::move(ranges), std::move(work)) != cudaSuccess)
        return refuse(CUDNN_STATUS_EXECUTION_FAILED_CUDART, {"the stream does not take work"});
    return CUDNN_STATUS_SUCCESS;
}

} // namespace host_device::cudnn
