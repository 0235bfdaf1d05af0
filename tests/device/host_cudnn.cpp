// SPDX-License-Identifier: BSL-1.0
#include "host_cudnn.hpp"
#include <algorithm>
#include <array>
#include <cmath>

namespace cudnn_host {
namespace {

#define DONE(call) REQUIRE((call) == CUDNN_STATUS_SUCCESS)

cudnnRNNDataDescriptor_t data_descriptor(spec const& of, int width) {
    cudnnRNNDataDescriptor_t data = nullptr;
    DONE(cudnnCreateRNNDataDescriptor(&data));
    std::array<unsigned char, 8> fill{};
    if (of.fill)
        host_device::store(fill.data(), memory::as(of.type), 0, *of.fill);
    DONE(cudnnSetRNNDataDescriptor(data, of.type, of.layout, of.steps, of.batch(), width, of.lengths.data(),
                                   of.fill ? fill.data() : nullptr));
    return data;
}

cudnnTensorDescriptor_t states_descriptor(spec const& of, int width) {
    cudnnTensorDescriptor_t tensor = nullptr;
    DONE(cudnnCreateTensorDescriptor(&tensor));
    std::array const extents{of.layers * of.directions(), of.batch(), width};
    std::array const strides{of.batch() * width, width, 1};
    DONE(cudnnSetTensorNdDescriptor(tensor, of.type, 3, extents.data(), strides.data()));
    return tensor;
}

} // namespace

session::session(spec given) : of(std::move(given)) {
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    DONE(cudnnCreate(&handle));
    DONE(cudnnSetStream(handle, stream));
    if (of.dropout > 0) {
        std::size_t bytes = 0;
        DONE(cudnnDropoutGetStatesSize(handle, &bytes));
        random_states.emplace(bytes);
        DONE(cudnnCreateDropoutDescriptor(&dropout));
        DONE(cudnnSetDropoutDescriptor(dropout, handle, of.dropout, random_states->get(), bytes, of.seed));
    }
    DONE(cudnnCreateRNNDescriptor(&rnn));
    DONE(cudnnSetRNNDescriptor_v8(
        rnn, CUDNN_RNN_ALGO_STANDARD, of.cell, of.bias, of.both ? CUDNN_BIDIRECTIONAL : CUDNN_UNIDIRECTIONAL,
        of.skip ? CUDNN_SKIP_INPUT : CUDNN_LINEAR_INPUT, of.type,
        of.type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT, CUDNN_FMA_MATH, of.inputs,
        of.units, of.outputs, of.layers, dropout, CUDNN_RNN_PADDED_IO_ENABLED));
    x_as = data_descriptor(of, of.inputs);
    y_as = data_descriptor(of, of.width_out());
    h_as = states_descriptor(of, of.outputs);
    c_as = states_descriptor(of, of.units);
    DONE(cudnnGetRNNWeightSpaceSize(handle, rnn, &weight_bytes));
    DONE(cudnnGetRNNTempSpaceSizes(handle, rnn, CUDNN_FWD_MODE_TRAINING, x_as, &work_bytes, &reserve_bytes));
    auto const bytes = memory::bytes_of(of.type);
    y.emplace(of.rows() * std::size_t(of.width_out()) * bytes);
    dx.emplace(of.rows() * std::size_t(of.inputs) * bytes);
    dw.emplace(of.type, numbers(weight_bytes / bytes));
    work.emplace(work_bytes);
    reserve.emplace(reserve_bytes);
    if (!of.states)
        return;
    hy.emplace(of.states_of(of.outputs) * bytes);
    dhx.emplace(of.states_of(of.outputs) * bytes);
    if (of.lstm()) {
        cy.emplace(of.states_of(of.units) * bytes);
        dcx.emplace(of.states_of(of.units) * bytes);
    }
}

session::~session() {
    cudaStreamSynchronize(stream);
    cudnnDestroyRNNDataDescriptor(x_as);
    cudnnDestroyRNNDataDescriptor(y_as);
    cudnnDestroyTensorDescriptor(h_as);
    cudnnDestroyTensorDescriptor(c_as);
    cudnnDestroyRNNDescriptor(rnn);
    cudnnDestroyDropoutDescriptor(dropout);
    cudnnDestroy(handle);
    cudaStreamDestroy(stream);
}

void session::give(operands const& from) {
    x.emplace(of.type, from.x);
    weights.emplace(of.type, from.weights);
    dy.emplace(of.type, from.dy);
    if (!of.states)
        return;
    hx.emplace(of.type, from.hx);
    dhy.emplace(of.type, from.dhy);
    if (of.lstm()) {
        cx.emplace(of.type, from.cx);
        dcy.emplace(of.type, from.dcy);
    }
}

cudnnStatus_t session::forward(cudnnForwardMode_t mode) {
    return cudnnRNNForward(handle, rnn, mode, nullptr, x_as, at(x), y_as, at(y), h_as, at(hx), at(hy), c_as,
                           at(cx), at(cy), weight_bytes, at(weights), work_bytes, at(work),
                           mode == CUDNN_FWD_MODE_TRAINING ? reserve_bytes : 0,
                           mode == CUDNN_FWD_MODE_TRAINING ? at(reserve) : nullptr);
}

cudnnStatus_t session::backward_data() {
    return cudnnRNNBackwardData_v8(handle, rnn, nullptr, y_as, at(y), at(dy), x_as, at(dx), h_as, at(hx),
                                   at(dhy), at(dhx), c_as, at(cx), at(dcy), at(dcx), weight_bytes,
                                   at(weights), work_bytes, at(work), reserve_bytes, at(reserve));
}

cudnnStatus_t session::backward_weights(cudnnWgradMode_t mode) {
    return cudnnRNNBackwardWeights_v8(handle, rnn, mode, nullptr, x_as, at(x), h_as, at(hx), y_as, at(y),
                                      weight_bytes, at(dw), work_bytes, at(work), reserve_bytes, at(reserve));
}

results session::read() const {
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    auto const from = [this](std::optional<memory> const& m) { return m ? m->read(of.type) : numbers(); };
    return {from(y), from(hy), from(cy), from(dx), from(dhx), from(dcx), from(dw)};
}

operands random_operands(spec const& of, unsigned from) {
    std::mt19937 engine(from);
    std::uniform_real_distribution<double> uniform(-1, 1);
    auto const some = [&](std::size_t count) {
        numbers all(count);
        std::generate(all.begin(), all.end(), [&] { return uniform(engine); });
        return all;
    };
    session const sized(of);
    operands all;
    all.x = some(of.rows() * std::size_t(of.inputs));
    all.weights = some(sized.weight_bytes / memory::bytes_of(of.type));
    all.dy = some(of.rows() * std::size_t(of.width_out()));
    all.hx = some(of.states ? of.states_of(of.outputs) : 0);
    all.dhy = some(all.hx.size());
    all.cx = some(of.states && of.lstm() ? of.states_of(of.units) : 0);
    all.dcy = some(all.cx.size());
    return all;
}

results train(spec const& of, operands const& from) {
    session run(of);
    run.give(from);
    DONE(run.forward(CUDNN_FWD_MODE_TRAINING));
    DONE(run.backward_data());
    DONE(run.backward_weights());
    return run.read();
}

results infer(spec const& of, operands const& from) {
    session run(of);
    run.give(from);
    DONE(run.forward(CUDNN_FWD_MODE_INFERENCE));
    return run.read();
}

double difference(numbers const& left, numbers const& right) {
    if (left.size() != right.size())
        return 1e9;
    double largest = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
        double const d = std::abs(left[i] - right[i]);
        largest = d <= largest ? largest : std::isnan(d) ? 1e9 : d;
    }
    return largest;
}

} // namespace cudnn_host
