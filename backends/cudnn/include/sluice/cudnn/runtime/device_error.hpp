// SPDX-License-Identifier: BSL-1.0
// Status codes of NVIDIA's libraries as sentences: what was to be done, with the arguments in words, and what
// the library says to it:
//
//   require(cudaMallocFromPoolAsync(&p, bytes, pool, stream), {"allocate ", bytes, " bytes"});
//
//   sluice: CUDA could not allocate 4096 bytes of device memory: out of memory (cudaErrorMemoryAllocation)
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <initializer_list>
#include <nvrtc.h>
#include <sluice/core/fail.hpp>
#include <stdexcept>
#include <string>

namespace sluice::cudnn {

/// A library of NVIDIA refused what it was asked for, or failed.
struct device_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse(char const* library,
                                                          std::initializer_list<sentence_part> what,
                                                          std::initializer_list<sentence_part> said) {
    std::string asked, answer;
    append(what, asked);
    append(said, answer);
    fail<device_error>({library, " could not ", asked, ": ", answer});
}

/// Reads the text of cuDNN's last error, which reading clears.
inline std::string last_text_of_cudnn() {
    std::string text(1024, '\0');
    cudnnGetLastErrorString(text.data(), text.size());
    text.resize(std::char_traits<char>::length(text.c_str()));
    return text;
}

} // namespace detail

/// Throws a device_error unless the call succeeded. `what` continues "CUDA could not".
inline void require(cudaError_t status, std::initializer_list<sentence_part> what) {
    if (status == cudaSuccess)
        return;
    (void)cudaGetLastError(); // the next call would report it once more
    detail::refuse("CUDA", what, {cudaGetErrorString(status), " (", cudaGetErrorName(status), ")"});
}
inline void require(cublasStatus_t status, std::initializer_list<sentence_part> what) {
    if (status != CUBLAS_STATUS_SUCCESS)
        detail::refuse("cuBLAS", what, {cublasGetStatusString(status), " (", static_cast<int>(status), ")"});
}
inline void require(nvrtcResult status, std::initializer_list<sentence_part> what) {
    if (status != NVRTC_SUCCESS)
        detail::refuse("NVRTC", what, {nvrtcGetErrorString(status)});
}
inline void require(cudnnStatus_t status, std::initializer_list<sentence_part> what) {
    if (status == CUDNN_STATUS_SUCCESS)
        return;
    std::string const said = detail::last_text_of_cudnn();
    detail::refuse(
        "cuDNN", what,
        {cudnnGetErrorString(status), said.empty() ? "" : ": ", said, " (", static_cast<int>(status), ")"});
}

} // namespace sluice::cudnn
