// SPDX-License-Identifier: BSL-1.0
// RNN descriptors.
#include "cudnn_objects.hpp"
#include "cudnn_storage.hpp"
#include <cmath>

using namespace host_device;
using namespace host_device::cudnn;

network cudnnRNNStruct::network() const {
    host_device::cudnn::network net;
    net.cell = cell_kind(int(cell));
    net.input_bias = bias == CUDNN_RNN_DOUBLE_BIAS || bias == CUDNN_RNN_SINGLE_INP_BIAS;
    net.recurrent_bias = bias == CUDNN_RNN_DOUBLE_BIAS || bias == CUDNN_RNN_SINGLE_REC_BIAS;
    net.directions = direction == CUDNN_BIDIRECTIONAL ? 2 : 1;
    net.skip = input == CUDNN_SKIP_INPUT;
    net.inputs = inputs;
    net.units = units;
    net.outputs = projection;
    net.layers = layers;
    return net;
}

namespace {

bool known_types(cudnnDataType_t type, cudnnDataType_t math) {
    switch (type) {
    case CUDNN_DATA_FLOAT:
        return math == CUDNN_DATA_FLOAT;
    case CUDNN_DATA_DOUBLE:
        return math == CUDNN_DATA_DOUBLE;
    case CUDNN_DATA_HALF:
        return math == CUDNN_DATA_FLOAT || math == CUDNN_DATA_HALF;
    case CUDNN_DATA_BFLOAT16:
        return math == CUDNN_DATA_FLOAT;
    default:
        return false;
    }
}

bool algorithm_has(cudnnRNNStruct const& rnn) {
    if (rnn.algorithm == CUDNN_RNN_ALGO_STANDARD)
        return true;
    if (rnn.bias != CUDNN_RNN_DOUBLE_BIAS)
        return false;
    if (rnn.type == CUDNN_DATA_DOUBLE)
        return rnn.algorithm == CUDNN_RNN_ALGO_PERSIST_DYNAMIC;
    return !(rnn.type == CUDNN_DATA_HALF && rnn.math_type == CUDNN_DATA_HALF);
}

} // namespace

extern "C" {

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* out) {
    return create("cudnnCreateRNNDescriptor", out);
}
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t given) {
    return destroy("cudnnDestroyRNNDescriptor", "the RNN descriptor", given);
}

cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t given, cudnnRNNAlgo_t algorithm,
                                       cudnnRNNMode_t cell, cudnnRNNBiasMode_t bias,
                                       cudnnDirectionMode_t direction, cudnnRNNInputMode_t input,
                                       cudnnDataType_t type, cudnnDataType_t math_type, cudnnMathType_t math,
                                       int32_t inputs, int32_t units, int32_t projection, int32_t layers,
                                       cudnnDropoutDescriptor_t dropout, uint32_t flags) {
    return called("cudnnSetRNNDescriptor_v8", [&] {
        auto const outside = [](int value, int largest) { return value < 0 || value > largest; };
        if (given == nullptr)
            return bad_param({"the RNN descriptor is NULL"});
        if (outside(algorithm, CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H))
            return bad_param({"an algorithm numbered ", int(algorithm), " does not exist"});
        if (outside(cell, CUDNN_GRU))
            return bad_param({"a cell numbered ", int(cell), " does not exist"});
        if (outside(bias, CUDNN_RNN_SINGLE_REC_BIAS))
            return bad_param({"a bias mode numbered ", int(bias), " does not exist"});
        if (outside(direction, CUDNN_BIDIRECTIONAL))
            return bad_param({"a direction numbered ", int(direction), " does not exist"});
        if (outside(input, CUDNN_SKIP_INPUT))
            return bad_param({"an input mode numbered ", int(input), " does not exist"});
        if (outside(math, CUDNN_FMA_MATH))
            return bad_param({"a math type numbered ", int(math), " does not exist"});
        if (inputs < 1 || units < 1 || layers < 1)
            return bad_param({"inputSize ", inputs, ", hiddenSize ", units, " and numLayers ", layers,
                              " have to be positive"});
        if (projection <= 0)
            return bad_param(
                {"projSize ", projection, " has to be positive; hiddenSize means no projection"});
        if ((flags & ~unsigned(CUDNN_RNN_PADDED_IO_ENABLED)) != 0)
            return bad_param({"auxFlags ", flags, " has a bit that means nothing"});
        cudnnRNNStruct next;
        next = {true,   algorithm, cell,       bias,   direction, input, type, math_type, math,
                inputs, units,     projection, layers, dropout,   flags, {},   {}};
        bool const may_project = cell == CUDNN_LSTM && algorithm == CUDNN_RNN_ALGO_STANDARD;
        if (!known_types(type, math_type) || !algorithm_has(next) || projection > units ||
            (projection < units && !may_project))
            return not_supported();
        if (dropout != nullptr)
            next.dropout_then = alive("the dropout descriptor", dropout);
        alive("the RNN descriptor", given) = next;
        return CUDNN_STATUS_SUCCESS;
    });
}

cudnnStatus_t cudnnGetRNNDescriptor_v8(cudnnRNNDescriptor_t given, cudnnRNNAlgo_t* algorithm,
                                       cudnnRNNMode_t* cell, cudnnRNNBiasMode_t* bias,
                                       cudnnDirectionMode_t* direction, cudnnRNNInputMode_t* input,
                                       cudnnDataType_t* type, cudnnDataType_t* math_type,
                                       cudnnMathType_t* math, int32_t* inputs, int32_t* units,
                                       int32_t* projection, int32_t* layers,
                                       cudnnDropoutDescriptor_t* dropout, uint32_t* flags) {
    return called("cudnnGetRNNDescriptor_v8", [&] {
        if (given == nullptr)
            return bad_param({"the RNN descriptor is NULL"});
        auto const& rnn = alive("the RNN descriptor", given);
        if (!rnn.set)
            return refuse(CUDNN_STATUS_NOT_INITIALIZED, {"the RNN descriptor was never set"});
        auto const put = [](auto* to, auto value) {
            if (to != nullptr)
                *to = value;
        };
        put(algorithm, rnn.algorithm);
        put(cell, rnn.cell);
        put(bias, rnn.bias);
        put(direction, rnn.direction);
        put(input, rnn.input);
        put(type, rnn.type);
        put(math_type, rnn.math_type);
        put(math, rnn.math);
        put(inputs, rnn.inputs);
        put(units, rnn.units);
        put(projection, rnn.projection);
        put(layers, rnn.layers);
        put(dropout, rnn.dropout);
        put(flags, rnn.flags);
        return CUDNN_STATUS_SUCCESS;
    });
}

/// Clipping is not computed here: it is refused, as far as the real library would accept it.
cudnnStatus_t cudnnRNNSetClip_v9(cudnnRNNDescriptor_t given, cudnnRNNClipMode_t mode, double low,
                                 double high) {
    return called("cudnnRNNSetClip_v9", [&] {
        if (given == nullptr)
            return bad_param({"the RNN descriptor is NULL"});
        alive("the RNN descriptor", given);
        if (mode != CUDNN_RNN_CLIP_NONE && mode != CUDNN_RNN_CLIP_MINMAX)
            return bad_param({"a clip mode numbered ", int(mode), " does not exist"});
        if (!(low <= high))
            return bad_param({"the bounds ", low, " and ", high, " are no interval"});
        return mode == CUDNN_RNN_CLIP_NONE ? CUDNN_STATUS_SUCCESS : not_supported();
    });
}

cudnnStatus_t cudnnBuildRNNDynamic(cudnnHandle_t handle, cudnnRNNDescriptor_t given, int batch) {
    return called("cudnnBuildRNNDynamic", [&] {
        if (handle == nullptr || given == nullptr)
            return bad_param({"the handle or the RNN descriptor is NULL"});
        if (batch <= 0)
            return bad_param({"the batch size ", batch, " has to be positive"});
        alive("the handle", handle);
        ready("the RNN descriptor", given).built.insert(batch);
        return CUDNN_STATUS_SUCCESS;
    });
}

} // extern "C"
