// SPDX-License-Identifier: BSL-1.0
// Which device there is.
#pragma once

#include <sluice/cudnn/runtime/device_error.hpp>

namespace sluice::cudnn {

/// Whether there is a CUDA device, and a driver for it. Never throws.
inline bool device_available() noexcept {
    int count = 0;
    bool const there = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
    if (!there)
        (void)cudaGetLastError();
    return there;
}

/// Throws a sentence unless there is one.
inline void require_device() {
    int count = 0;
    cudaError_t const status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess && count > 0)
        return;
    (void)cudaGetLastError();
    fail<device_error>(
        {"a cell on a CUDA device needs one, and there is none: ",
         status == cudaSuccess ? "no device is visible" : cudaGetErrorString(status),
         ". sluice::cudnn::device_available() asks before; sluice::xtensor::planned runs the same "
         "cell on the CPU"});
}

/// What the library wants to know of a device.
struct device_facts {
    int number = 0;
    int major = 0, minor = 0; ///< of its compute capability
    int processors = 0;       ///< streaming multiprocessors
    int shared_memory = 0;    ///< bytes that a block of threads may use of it, when it asks for them
};

/// Throws a sentence if there is no such device.
inline device_facts facts_of_device(int number) {
    device_facts found{.number = number};
    auto const ask = [&](cudaDeviceAttr which) {
        int value = 0;
        require(cudaDeviceGetAttribute(&value, which, number), {"describe device ", number});
        return value;
    };
    found.major = ask(cudaDevAttrComputeCapabilityMajor);
    found.minor = ask(cudaDevAttrComputeCapabilityMinor);
    found.processors = ask(cudaDevAttrMultiProcessorCount);
    found.shared_memory = ask(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    return found;
}
/// The device that this thread uses (cudaSetDevice chooses).
inline device_facts current_device() {
    require_device();
    int number = 0;
    require(cudaGetDevice(&number), {"say which device is current"});
    return facts_of_device(number);
}

/// Makes a device current for this thread as long as it lives.
class current_device_scope {
public:
    explicit current_device_scope(int number) {
        require(cudaGetDevice(&before_), {"say which device is current"});
        if (before_ != number)
            require(cudaSetDevice(number), {"make device ", number, " current"});
        changed_ = before_ != number;
    }
    current_device_scope(current_device_scope const&) = delete;
    current_device_scope& operator=(current_device_scope const&) = delete;
    ~current_device_scope() {
        if (changed_)
            (void)cudaSetDevice(before_);
    }

private:
    int before_ = 0;
    bool changed_ = false;
};

} // namespace sluice::cudnn
