// SPDX-License-Identifier: BSL-1.0
// What device there is, settings, and errors.
#include "memory.hpp"
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace host_device {

namespace {

settings from_environment() {
    settings s;
    char const* const given = std::getenv("SLUICE_HOST_DEVICE");
    std::string_view words = given != nullptr ? given : "";
    while (!words.empty()) {
        std::string_view const word = words.substr(0, words.find(','));
        words.remove_prefix(std::min(words.size(), word.size() + 1));
        std::string const name(word.substr(0, word.find('=')));
        long const number = name.size() < word.size() ? std::atol(word.data() + name.size() + 1) : 0;
        if (name == "no-driver")
            s.driver = false;
        else if (name == "no-device")
            s.device = false;
        else if (name == "fail-allocation")
            s.fail_allocation = number;
        else if (name == "nvrtc-fails")
            s.nvrtc_fails = true;
        else if (name == "no-real-nvrtc")
            s.real_nvrtc = false;
        else if (name == "order")
            s.order = static_cast<std::uint64_t>(number);
        else if (name == "trace")
            s.trace = true;
        else if (name == "mprotect")
            s.protection_keys = false;
        else if (name == "architecture")
            s.architecture = static_cast<int>(number);
        else if (!word.empty())
            stop({"SLUICE_HOST_DEVICE has the word '", word, "', which means nothing here"});
    }
    return s;
}

thread_local cudaError_t last_error = cudaSuccess;

struct error_text {
    cudaError_t code;
    char const* name;
    char const* text;
};
constexpr std::array error_texts{
    error_text{cudaSuccess, "cudaSuccess", "no error"},
    error_text{cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    error_text{cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    error_text{cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    error_text{cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
               "invalid configuration argument"},
    error_text{cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    error_text{cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
               "invalid copy direction for memcpy"},
    error_text{cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
               "CUDA driver version is insufficient for CUDA runtime version"},
    error_text{cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    error_text{cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    error_text{cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    error_text{cudaErrorInvalidKernelImage, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    error_text{cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
               "no kernel image is available for execution on the device"},
    error_text{cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    error_text{cudaErrorIllegalState, "cudaErrorIllegalState",
               "the operation cannot be performed in the present state"},
    error_text{cudaErrorSymbolNotFound, "cudaErrorSymbolNotFound", "named symbol not found"},
    error_text{cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    error_text{cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
               "too many resources requested for launch"},
    error_text{cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
               "operation not permitted when stream is capturing"},
    error_text{cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
               "operation failed due to a previous error during capture"},
    error_text{cudaErrorStreamCaptureMerge, "cudaErrorStreamCaptureMerge",
               "operation would result in a merge of separate capture sequences"},
    error_text{cudaErrorStreamCaptureUnmatched, "cudaErrorStreamCaptureUnmatched",
               "capture was not ended in the same stream as it began"},
    error_text{cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined",
               "capturing stream has unjoined work"},
    error_text{cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
               "dependency created on uncaptured work in another stream"},
    error_text{cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit",
               "operation would make the legacy stream depend on a capturing blocking stream"},
    error_text{cudaErrorCapturedEvent, "cudaErrorCapturedEvent",
               "operation not permitted on an event last recorded in a capturing stream"},
    error_text{cudaErrorStreamCaptureWrongThread, "cudaErrorStreamCaptureWrongThread",
               "attempt to terminate a thread-local capture sequence from another thread"},
    error_text{cudaErrorGraphExecUpdateFailure, "cudaErrorGraphExecUpdateFailure",
               "the graph update was not performed because it included changes which violated constraints"},
};
error_text text_of(cudaError_t code) {
    for (error_text const& e : error_texts)
        if (e.code == code)
            return e;
    return {code, "unrecognized error code", "unrecognized error code"};
}

constexpr int multiprocessors = 4, shared_bytes = 48 << 10, shared_bytes_opt_in = 163 << 10;

} // namespace

settings& control() {
    static settings& it = *new settings(from_environment());
    return it;
}

cudaError_t report(cudaError_t error) {
    if (error != cudaSuccess && error != cudaErrorNotReady)
        last_error = error;
    return error;
}

cudaError_t device_state() {
    return !control().driver   ? cudaErrorInsufficientDriver
           : !control().device ? cudaErrorNoDevice
                               : cudaSuccess;
}

} // namespace host_device

using namespace host_device;

// Errors
// --------------------------------------------------------------------------------------------------------

cudaError_t cudaGetLastError() {
    return std::exchange(last_error, cudaSuccess);
}
cudaError_t cudaPeekAtLastError() {
    return last_error;
}
char const* cudaGetErrorName(cudaError_t error) {
    return text_of(error).name;
}
char const* cudaGetErrorString(cudaError_t error) {
    return text_of(error).text;
}

// Device
// --------------------------------------------------------------------------------------------------------

cudaError_t cudaDriverGetVersion(int* version) {
    entry const e("cudaDriverGetVersion");
    *version = control().driver ? CUDART_VERSION : 0;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
    entry const e("cudaRuntimeGetVersion");
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
    entry const e("cudaGetDeviceCount");
    *count = device_state() == cudaSuccess ? 1 : 0;
    return report(device_state());
}
cudaError_t cudaGetDevice(int* device) {
    entry const e("cudaGetDevice");
    *device = 0;
    return report(device_state());
}
cudaError_t cudaSetDevice(int device) {
    entry const e("cudaSetDevice");
    if (cudaError_t const error = device_state(); error != cudaSuccess)
        return report(error);
    return report(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    entry const e("cudaGetDeviceProperties");
    if (cudaError_t const error = cudaSetDevice(device); error != cudaSuccess)
        return error;
    if (properties == nullptr)
        return report(cudaErrorInvalidValue);
    cudaDeviceProp p{};
    std::snprintf(p.name, sizeof p.name, "device of the host");
    p.totalGlobalMem = bytes_of_device;
    p.sharedMemPerBlock = shared_bytes;
    p.sharedMemPerBlockOptin = shared_bytes_opt_in;
    p.sharedMemPerMultiprocessor = shared_bytes_opt_in + 1024;
    p.regsPerBlock = p.regsPerMultiprocessor = 65536;
    p.warpSize = 32;
    p.maxThreadsPerBlock = 1024;
    p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
    p.maxThreadsDim[2] = 64;
    p.maxGridSize[0] = 2147483647;
    p.maxGridSize[1] = p.maxGridSize[2] = 65535;
    p.major = control().architecture / 10;
    p.minor = control().architecture % 10;
    p.multiProcessorCount = multiprocessors;
    p.maxThreadsPerMultiProcessor = 2048;
    p.maxBlocksPerMultiProcessor = 32;
    p.l2CacheSize = 1 << 20;
    p.unifiedAddressing = p.memoryPoolsSupported = p.asyncEngineCount = p.concurrentKernels = 1;
    *properties = p;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    entry const e("cudaDeviceGetAttribute");
    cudaDeviceProp p;
    if (cudaError_t const error = cudaGetDeviceProperties(&p, device); error != cudaSuccess)
        return error;
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        *value = p.maxThreadsPerBlock;
        break;
    case cudaDevAttrMaxBlockDimX:
        *value = p.maxThreadsDim[0];
        break;
    case cudaDevAttrMaxGridDimX:
        *value = p.maxGridSize[0];
        break;
    case cudaDevAttrMaxGridDimY:
        *value = p.maxGridSize[1];
        break;
    case cudaDevAttrMaxGridDimZ:
        *value = p.maxGridSize[2];
        break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = static_cast<int>(p.sharedMemPerBlock);
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = static_cast<int>(p.sharedMemPerBlockOptin);
        break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = static_cast<int>(p.sharedMemPerMultiprocessor);
        break;
    case cudaDevAttrMaxRegistersPerBlock:
        *value = p.regsPerBlock;
        break;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        *value = p.regsPerMultiprocessor;
        break;
    case cudaDevAttrWarpSize:
        *value = p.warpSize;
        break;
    case cudaDevAttrMultiProcessorCount:
        *value = p.multiProcessorCount;
        break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = p.maxThreadsPerMultiProcessor;
        break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        *value = p.maxBlocksPerMultiProcessor;
        break;
    case cudaDevAttrComputeCapabilityMajor:
        *value = p.major;
        break;
    case cudaDevAttrComputeCapabilityMinor:
        *value = p.minor;
        break;
    case cudaDevAttrL2CacheSize:
        *value = p.l2CacheSize;
        break;
    case cudaDevAttrMemoryPoolsSupported:
        *value = p.memoryPoolsSupported;
        break;
    case cudaDevAttrUnifiedAddressing:
        *value = p.unifiedAddressing;
        break;
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrClusterLaunch:
    case cudaDevAttrPageableMemoryAccess:
    case cudaDevAttrIntegrated:
        *value = 0;
        break;
    default:
        stop({"attribute ", static_cast<int>(attribute), " is not known to this device"});
    }
    return cudaSuccess;
}
