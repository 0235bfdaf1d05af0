// SPDX-License-Identifier: BSL-1.0
// Owners of what NVIDIA's libraries make and destroy: streams, events, handles, descriptors.
#pragma once

#include <cstdint>
#include <limits>
#include <sluice/cudnn/runtime/device_error.hpp>
#include <utility>

namespace sluice::cudnn {

/// Owns a handle that Create puts into its place and Destroy takes back. `what` names it in sentences.
///
///   unique_handle<cudnnRNNDescriptor_t, cudnnCreateRNNDescriptor, cudnnDestroyRNNDescriptor>
///       d{"an RNN descriptor"};
template <class Handle, auto Create, auto Destroy>
class unique_handle {
public:
    unique_handle() = default; ///< owns nothing
    explicit unique_handle(char const* what) { require(Create(&handle_), {"make ", what}); }
    unique_handle(unique_handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    unique_handle& operator=(unique_handle&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~unique_handle() {
        if (handle_ != nullptr)
            (void)Destroy(handle_);
    }

    Handle get() const { return handle_; }
    explicit operator bool() const { return handle_ != nullptr; }

private:
    Handle handle_ = nullptr;
};

namespace detail {

inline cudaError_t create_stream(cudaStream_t* stream) {
    return cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
}
inline cudaError_t create_event(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDisableTiming);
}
/// Of the current device. It keeps what is given back to it, so that memory is asked of the driver once.
inline cudaError_t create_pool(cudaMemPool_t* pool) {
    cudaMemPoolProps of{};
    of.allocType = cudaMemAllocationTypePinned;
    of.location.type = cudaMemLocationTypeDevice;
    cudaError_t status = cudaGetDevice(&of.location.id);
    if (status == cudaSuccess)
        status = cudaMemPoolCreate(pool, &of);
    if (status == cudaSuccess) {
        std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
        status = cudaMemPoolSetAttribute(*pool, cudaMemPoolAttrReleaseThreshold, &all);
    }
    return status;
}

} // namespace detail

/// A stream that does not wait for the legacy stream.
using unique_stream = unique_handle<cudaStream_t, detail::create_stream, cudaStreamDestroy>;
/// An event without a time.
using unique_event = unique_handle<cudaEvent_t, detail::create_event, cudaEventDestroy>;
/// Memory that is ordered by streams.
using unique_pool = unique_handle<cudaMemPool_t, detail::create_pool, cudaMemPoolDestroy>;
using unique_blas = unique_handle<cublasHandle_t, cublasCreate_v2, cublasDestroy_v2>;
using unique_dnn = unique_handle<cudnnHandle_t, cudnnCreate, cudnnDestroy>;

} // namespace sluice::cudnn
