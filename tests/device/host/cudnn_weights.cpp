// SPDX-License-Identifier: BSL-1.0
// How large the weight space is, and where the matrices and biases lie in it.
#include "cudnn_objects.hpp"
#include "cudnn_storage.hpp"

using namespace host_device;
using namespace host_device::cudnn;

namespace {

/// Describes a block and gives its address; of one that the network does not have: no dimensions, and NULL.
void answer(block const& at, cudnnDataType_t type, void const* space, cudnnTensorDescriptor_t descriptor,
            void** address) {
    if (descriptor != nullptr)
        alive("a tensor descriptor", descriptor) =
            at.rows == 0
                ? cudnnTensorStruct{}
                : cudnnTensorStruct{type, {1, at.rows, at.columns}, {at.rows * at.columns, at.columns, 1}};
    if (address != nullptr)
        *address =
            at.rows == 0
                ? nullptr
                : reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(space) + at.at * bytes_of(type));
}

} // namespace

extern "C" {

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t given, size_t* size) {
    return called("cudnnGetRNNWeightSpaceSize", [&] {
        if (handle == nullptr || given == nullptr || size == nullptr)
            return bad_param({"the handle, the RNN descriptor or the place for the size is NULL"});
        alive("the handle", handle);
        auto const& rnn = ready("the RNN descriptor", given);
        *size = rnn.network().weights() * bytes_of(rnn.type);
        return CUDNN_STATUS_SUCCESS;
    });
}

cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t given, int32_t pseudo_layer,
                                      size_t bytes, void const* space, int32_t id,
                                      cudnnTensorDescriptor_t matrix, void** matrix_at,
                                      cudnnTensorDescriptor_t bias, void** bias_at) {
    return called("cudnnGetRNNWeightParams", [&] {
        if (handle == nullptr || given == nullptr)
            return bad_param({"the handle or the RNN descriptor is NULL"});
        alive("the handle", handle);
        auto const& rnn = ready("the RNN descriptor", given);
        auto const net = rnn.network();
        if (pseudo_layer < 0 || pseudo_layer >= net.pseudo_layers())
            return bad_param({"pseudo-layer ", pseudo_layer, " of ", net.pseudo_layers(), " does not exist"});
        if (id < 0 || id > 2 * net.gates())
            return bad_param({"linLayerID ", id, " is not within 0 and ", 2 * net.gates()});
        if ((matrix == nullptr && matrix_at != nullptr) || (bias == nullptr && bias_at != nullptr))
            return bad_param({"an address is wanted without its descriptor"});
        if (auto const needed = net.weights() * bytes_of(rnn.type); space != nullptr && bytes < needed)
            stop({"the weight space has ", bytes, " bytes and needs ", needed,
                  "; the real library does not look"});
        answer(net.matrix(pseudo_layer, id), rnn.type, space, matrix, matrix_at);
        answer(net.bias(pseudo_layer, id), rnn.type, space, bias, bias_at);
        return CUDNN_STATUS_SUCCESS;
    });
}

} // extern "C"
