// SPDX-License-Identifier: BSL-1.0
// The real libraries: what a program hears on a machine without a device. On one that has a device, nothing
// here is to be said.
#include <doctest/doctest.h>
#include <sluice/cudnn.hpp>

using namespace sluice::equation;

namespace {

struct elman {
    static constexpr auto equations = sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h"> + b<"h">));
};

template <class Backend, class S>
void check_refusal() {
    CHECK_THROWS_WITH_AS((sluice::cell<elman, S, Backend>({.input = 3, .units = 5}, sluice::seed{7})),
                         doctest::Contains("a cell on a CUDA device needs one, and there is none: "),
                         sluice::cudnn::device_error);
    CHECK_THROWS_WITH_AS((sluice::cell<elman, S, Backend>({.input = 3, .units = 5}, sluice::seed{7})),
                         doctest::Contains("sluice::cudnn::device_available() asks before"),
                         std::runtime_error);
}

} // namespace

TEST_CASE("no device: without a device a cell on one is refused in a sentence") {
    if (sluice::cudnn::device_available())
        return;
    check_refusal<sluice::cudnn::planned, float>();
    check_refusal<sluice::cudnn::planned_tf32, float>();
    check_refusal<sluice::cudnn::planned, sluice::half>();
}

TEST_CASE("no device: codes of the libraries become sentences with what was to be done") {
    using sluice::cudnn::require, sluice::cudnn::device_error;
    CHECK_NOTHROW(require(cudaSuccess, {"do"}));
    CHECK_NOTHROW(require(CUBLAS_STATUS_SUCCESS, {"do"}));
    CHECK_NOTHROW(require(NVRTC_SUCCESS, {"do"}));
    CHECK_NOTHROW(require(CUDNN_STATUS_SUCCESS, {"do"}));
    CHECK_THROWS_WITH_AS(
        require(cudaErrorMemoryAllocation, {"allocate ", std::size_t(4096), " bytes"}),
        "sluice: CUDA could not allocate 4096 bytes: out of memory (cudaErrorMemoryAllocation)",
        device_error);
    CHECK_THROWS_WITH_AS(
        require(CUBLAS_STATUS_INVALID_VALUE, {"multiply"}),
        "sluice: cuBLAS could not multiply: an unsupported value or parameter was passed to the function (7)",
        device_error);
    CHECK_THROWS_WITH_AS(require(NVRTC_ERROR_OUT_OF_MEMORY, {"compile"}),
                         "sluice: NVRTC could not compile: NVRTC_ERROR_OUT_OF_MEMORY", device_error);

    cudnnRNNDescriptor_t descriptor = nullptr; // cuDNN says in its own words what is wrong
    REQUIRE(cudnnCreateRNNDescriptor(&descriptor) == CUDNN_STATUS_SUCCESS);
    cudnnStatus_t const status =
        cudnnSetRNNDescriptor_v8(descriptor, CUDNN_RNN_ALGO_STANDARD, CUDNN_GRU, CUDNN_RNN_DOUBLE_BIAS,
                                 CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                                 CUDNN_FMA_MATH, 3, 5, 0, 1, nullptr, CUDNN_RNN_PADDED_IO_ENABLED);
    try {
        require(status, {"describe a GRU of 5 units"});
        FAIL("it was described");
    } catch (device_error const& error) {
        std::string const said = error.what();
        CHECK(
            said.starts_with("sluice: cuDNN could not describe a GRU of 5 units: CUDNN_STATUS_BAD_PARAM: "));
        CHECK(said.find("projSize") != said.npos);
        CHECK(said.ends_with("(2000)"));
    }
    cudnnDestroyRNNDescriptor(descriptor);
}
