// SPDX-License-Identifier: BSL-1.0
// Status codes of four libraries as sentences. The texts of cuDNN's errors are those of the device of the
// host; tests/cuda asks the real one.
#include <sluice/cudnn/runtime/device_error.hpp>

#include <device/host/controls.hpp>
#include <doctest/doctest.h>
#include <type_traits>

namespace error_test {

using sluice::cudnn::device_error, sluice::cudnn::require;

static_assert(std::is_base_of_v<std::runtime_error, device_error>);

TEST_CASE("error: a call that succeeds is not told") {
    CHECK_NOTHROW(require(cudaSuccess, {"do"}));
    CHECK_NOTHROW(require(CUBLAS_STATUS_SUCCESS, {"do"}));
    CHECK_NOTHROW(require(NVRTC_SUCCESS, {"do"}));
    CHECK_NOTHROW(require(CUDNN_STATUS_SUCCESS, {"do"}));
}

TEST_CASE("error: what was to be done, and what the library says to it") {
    CHECK_THROWS_WITH_AS(require(cudaErrorMemoryAllocation, {"allocate ", std::size_t{1} << 63, " bytes"}),
                         "sluice: CUDA could not allocate 9223372036854775808 bytes: out of memory "
                         "(cudaErrorMemoryAllocation)",
                         device_error);
    CHECK_THROWS_WITH_AS(
        require(CUBLAS_STATUS_INVALID_VALUE, {"multiply ", 2, " matrices"}),
        "sluice: cuBLAS could not multiply 2 matrices: an unsupported value or parameter was passed to the "
        "function (7)",
        device_error);
    CHECK_THROWS_WITH_AS(require(NVRTC_ERROR_COMPILATION, {"compile"}),
                         "sluice: NVRTC could not compile: NVRTC_ERROR_COMPILATION", device_error);
}

TEST_CASE("error: what CUDA has told once it does not tell again") {
    host_device::changed_settings with;
    with->fail_allocation = 1;
    void* p = nullptr;
    cudaError_t const status = cudaMalloc(&p, 8);
    CHECK(status == cudaErrorMemoryAllocation);
    CHECK(cudaPeekAtLastError() == cudaErrorMemoryAllocation);
    CHECK_THROWS_AS(require(status, {"allocate"}), device_error);
    CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST_CASE("error: cuDNN's own text of the last error stands in the sentence, and is read once") {
    cudnnRNNDescriptor_t descriptor = nullptr;
    REQUIRE(cudnnCreateRNNDescriptor(&descriptor) == CUDNN_STATUS_SUCCESS);
    cudnnStatus_t const status =
        cudnnSetRNNDescriptor_v8(descriptor, CUDNN_RNN_ALGO_STANDARD, CUDNN_GRU, CUDNN_RNN_DOUBLE_BIAS,
                                 CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                                 CUDNN_FMA_MATH, 3, 5, 0, 1, nullptr, CUDNN_RNN_PADDED_IO_ENABLED);
    REQUIRE(status != CUDNN_STATUS_SUCCESS);
    std::string first;
    try {
        require(status, {"describe it"});
    } catch (device_error const& error) {
        first = error.what();
    }
    std::string const beginning =
                          std::string("sluice: cuDNN could not describe it: ") + cudnnGetErrorString(status),
                      end = " (" + std::to_string(static_cast<int>(status)) + ")";
    CHECK(first.starts_with(beginning + ": "));
    CHECK(first.ends_with(end));
    CHECK_THROWS_WITH_AS(require(status, {"describe it"}), (beginning + end).c_str(), device_error);
    cudnnDestroyRNNDescriptor(descriptor);
}

} // namespace error_test
