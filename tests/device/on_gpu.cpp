// SPDX-License-Identifier: BSL-1.0
// What the cases ask of the device that they run on, where it is a GPU and cuDNN is the real one: how often
// it was called. The linker puts __wrap_f in the place of f (--wrap, device.cmake).
#include "host/cudnn_controls.hpp"
#include <atomic>
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

namespace {

std::atomic<long> forward_calls{0};

} // namespace

extern "C" {
extern decltype(cudnnRNNForward) __real_cudnnRNNForward;

cudnnStatus_t __wrap_cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode,
                                     int32_t const lengths[], cudnnRNNDataDescriptor_t x_as, void const* x,
                                     cudnnRNNDataDescriptor_t y_as, void* y, cudnnTensorDescriptor_t h_as,
                                     void const* hx, void* hy, cudnnTensorDescriptor_t c_as, void const* cx,
                                     void* cy, size_t weight_bytes, void const* weights, size_t work_bytes,
                                     void* work, size_t reserve_bytes, void* reserve) {
    ++forward_calls;
    return __real_cudnnRNNForward(handle, rnn, mode, lengths, x_as, x, y_as, y, h_as, hx, hy, c_as, cx, cy,
                                  weight_bytes, weights, work_bytes, work, reserve_bytes, reserve);
}
}

long host_device::cudnn_calls(std::string_view entry_point) {
    CHECK_MESSAGE(entry_point == "cudnnRNNForward", "nobody counts the calls of another function");
    return forward_calls;
}

double host_device::distance_of_cudnn() {
    return 1e-4;
}

TEST_CASE("on gpu: the device") {
    cudaDeviceProp about{};
    REQUIRE(cudaGetDeviceProperties(&about, 0) == cudaSuccess);
    MESSAGE(std::string(about.name), ", compute capability ", about.major, ".", about.minor, ", cuDNN ",
            cudnnGetVersion());
}
