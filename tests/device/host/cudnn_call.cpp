// SPDX-License-Identifier: BSL-1.0
// Texts of errors, counts, failures on demand, versions.
#include "cudnn_call.hpp"
#include <algorithm>
#include <cstring>
#include <map>
#include <string>

namespace host_device {
namespace {

thread_local std::string last_error;

struct call_state {
    long calls = 0;
    long fails_in = 0;
    cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
};
std::map<std::string, call_state, std::less<>>& calls() {
    static auto& every = *new std::map<std::string, call_state, std::less<>>;
    return every;
}
long objects_alive = 0;

} // namespace

double distance_of_cudnn() {
    return 1e-5;
}
long cudnn_calls(std::string_view entry_point) {
    long sum = 0;
    for (auto const& [name, state] : calls())
        if (entry_point.empty() || name == entry_point)
            sum += state.calls;
    return sum;
}

long cudnn_objects() {
    return objects_alive;
}

void fail_cudnn(std::string_view entry_point, cudnnStatus_t status, long n) {
    auto& state = calls()[std::string(entry_point)];
    state.fails_in = n;
    state.status = status;
}

namespace cudnn {

cudnnStatus_t refuse(cudnnStatus_t status, std::initializer_list<part> parts) {
    last_error = status == CUDNN_STATUS_NOT_SUPPORTED ? std::string()
                                                      : sentence({current_call(), ": ", sentence(parts)});
    return status;
}

std::optional<cudnnStatus_t> begin_call(char const* entry_point) {
    auto& state = calls()[entry_point];
    ++state.calls;
    if (state.fails_in == 0 || --state.fails_in != 0)
        return {};
    return refuse(state.status, {"fails because the test asks for it"});
}

void count_object(int change) {
    objects_alive += change;
    count_handle(change);
}

} // namespace cudnn
} // namespace host_device

using namespace host_device;

extern "C" {

size_t cudnnGetVersion() {
    return CUDNN_VERSION;
}
size_t cudnnGetCudartVersion() {
    return CUDART_VERSION;
}

char const* cudnnGetErrorString(cudnnStatus_t status) {
    switch (status) {
    case CUDNN_STATUS_SUCCESS:
        return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_NOT_INITIALIZED:
        return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH:
        return "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH";
    case CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED:
        return "CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED";
    case CUDNN_STATUS_BAD_PARAM:
        return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_BAD_PARAM_NULL_POINTER:
        return "CUDNN_STATUS_BAD_PARAM_NULL_POINTER";
    case CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT:
        return "CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT";
    case CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH:
        return "CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH";
    case CUDNN_STATUS_NOT_SUPPORTED:
        return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH:
        return "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH";
    case CUDNN_STATUS_INTERNAL_ERROR:
        return "CUDNN_STATUS_INTERNAL_ERROR";
    case CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED:
        return "CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED";
    case CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED:
        return "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED";
    case CUDNN_STATUS_EXECUTION_FAILED:
        return "CUDNN_STATUS_EXECUTION_FAILED";
    case CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER:
        return "CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER";
    case CUDNN_STATUS_EXECUTION_FAILED_CUBLAS:
        return "CUDNN_STATUS_EXECUTION_FAILED_CUBLAS";
    case CUDNN_STATUS_EXECUTION_FAILED_CUDART:
        return "CUDNN_STATUS_EXECUTION_FAILED_CUDART";
    default:
        return "CUDNN_UNKNOWN_STATUS";
    }
}

void cudnnGetLastErrorString(char* message, size_t max_size) {
    if (message == nullptr || max_size == 0)
        return;
    auto const length = std::min(last_error.size(), max_size - 1);
    std::memcpy(message, last_error.data(), length);
    message[length] = '\0';
    last_error.clear();
}

} // extern "C"
