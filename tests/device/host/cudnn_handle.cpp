// SPDX-License-Identifier: BSL-1.0
// Handles and the streams they work on.
#include "cudnn_objects.hpp"

using namespace host_device;
using namespace host_device::cudnn;

extern "C" {

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
    return called("cudnnCreate", [&] {
        if (handle == nullptr)
            return bad_param({"the place for the handle is NULL"});
        if (auto const error = device_state(); error != cudaSuccess)
            return refuse(CUDNN_STATUS_NOT_INITIALIZED,
                          {"there is no device to work on: ", cudaGetErrorString(error)});
        if (refuse_in_capture() != cudaSuccess)
            return refuse(CUDNN_STATUS_EXECUTION_FAILED_CUDART, {"a stream is being captured"});
        *handle = objects<cudnnContext>::make();
        return CUDNN_STATUS_SUCCESS;
    });
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
    return destroy("cudnnDestroy", "the handle", handle);
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
    return called("cudnnSetStream", [&] {
        if (handle == nullptr)
            return bad_param({"the handle is NULL"});
        require_stream(stream);
        alive("the handle", handle).stream = stream;
        return CUDNN_STATUS_SUCCESS;
    });
}

cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t* stream) {
    return called("cudnnGetStream", [&] {
        if (handle == nullptr || stream == nullptr)
            return bad_param({"the handle or the place for the stream is NULL"});
        *stream = alive("the handle", handle).stream;
        return CUDNN_STATUS_SUCCESS;
    });
}

} // extern "C"
