// SPDX-License-Identifier: BSL-1.0
// Allocation, copies and fills.
#include "work.hpp"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace host_device;

namespace {

cudaError_t allocate(void** p, std::size_t bytes, char const* name) {
    entry const e(name);
    if (cudaError_t const error = device_state(); error != cudaSuccess)
        return error;
    if (p == nullptr)
        return cudaErrorInvalidValue;
    if (cudaError_t const error = refuse_in_capture(); error != cudaSuccess)
        return error;
    *p = nullptr;
    if (bytes == 0)
        return cudaSuccess;
    void* const made = allocate_device(bytes);
    if (made == nullptr)
        return cudaErrorMemoryAllocation;
    *p = made;
    return cudaSuccess;
}

struct shape {
    std::size_t to_pitch, from_pitch, width, rows;
};

std::string text_of(cudaMemcpyKind kind) {
    switch (kind) {
    case cudaMemcpyHostToHost:
        return "host to host";
    case cudaMemcpyHostToDevice:
        return "host to device";
    case cudaMemcpyDeviceToHost:
        return "device to host";
    case cudaMemcpyDeviceToDevice:
        return "device to device";
    default:
        return "default";
    }
}

/// The copy as an operation. A direction that is not that of the addresses stops the program.
cudaError_t copy(void* to, void const* from, shape const& s, cudaMemcpyKind kind, cudaStream_t stream,
                 bool waits) {
    if (cudaError_t const error = device_state(); error != cudaSuccess)
        return error;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (s.rows > 1 && (s.to_pitch < s.width || s.from_pitch < s.width))
        return cudaErrorInvalidPitchValue;
    stream_of(stream);
    if (waits)
        if (cudaError_t const error = refuse_in_capture(); error != cudaSuccess)
            return error;
    if (s.width == 0 || s.rows == 0)
        return cudaSuccess;
    bool const from_device = is_device_address(from), to_device = is_device_address(to);
    cudaMemcpyKind const real = from_device ? (to_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost)
                                            : (to_device ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost);
    if (kind != cudaMemcpyDefault && kind != real)
        stop({"is to copy from ", text_of(kind), ", and the addresses are ", text_of(real)});
    range source = from_device ? reads("source", from, s.width) : host_reads("source", from, s.width);
    range target = to_device ? writes("destination", to, s.width) : host_writes("destination", to, s.width);
    source.rows = target.rows = s.rows;
    source.pitch = s.from_pitch;
    target.pitch = s.to_pitch;
    auto const* const a = static_cast<unsigned char const*>(from);
    auto* const b = static_cast<unsigned char*>(to);
    if (from_device == to_device && b < a + source.extent() && a < b + target.extent() && s.rows == 1)
        stop({"source and destination overlap"});
    cudaError_t const error = enqueue(stream, "copy from " + text_of(real), {source, target}, [=] {
        for (std::size_t i = 0; i < s.rows; ++i)
            std::memcpy(b + i * s.to_pitch, a + i * s.from_pitch, s.width);
    });
    if (error != cudaSuccess || (!waits && real != cudaMemcpyHostToHost))
        return error;
    if (waits && real == cudaMemcpyDeviceToDevice)
        return error; // the real one does not wait either
    if (is_capturing(stream))
        return error;
    finish(stream);
    return error;
}

cudaError_t fill(void* p, int value, std::size_t pitch, std::size_t width, std::size_t rows,
                 cudaStream_t stream) {
    if (cudaError_t const error = device_state(); error != cudaSuccess)
        return error;
    stream_of(stream);
    if (rows > 1 && pitch < width)
        return cudaErrorInvalidPitchValue;
    if (width == 0 || rows == 0)
        return cudaSuccess;
    range target = writes("destination", p, width);
    target.rows = rows;
    target.pitch = pitch;
    return enqueue(stream, "fill", {target}, [=] {
        for (std::size_t i = 0; i < rows; ++i)
            std::memset(static_cast<unsigned char*>(p) + i * pitch, value, width);
    });
}

} // namespace

// Device memory
// -------------------------------------------------------------------------------------------------

cudaError_t cudaMalloc(void** p, std::size_t bytes) {
    return report(allocate(p, bytes, "cudaMalloc"));
}

cudaError_t cudaFree(void* p) {
    entry const e("cudaFree");
    if (p == nullptr)
        return report(device_state());
    if (cudaError_t const error = refuse_in_capture(); error != cudaSuccess)
        return report(error);
    finish_all();
    release_device(p);
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void** p, std::size_t bytes, cudaStream_t stream) {
    entry const e("cudaMallocAsync");
    if (is_capturing(stream))
        stop({"allocations in a captured stream are not part of this device"});
    if (cudaError_t const error = allocate(p, bytes, "cudaMallocAsync");
        error != cudaSuccess || *p == nullptr)
        return report(error);
    nearest_block(*p)->ready = false;
    return report(enqueue(stream, "allocation", {}, [at = *p] { nearest_block(at)->ready = true; }));
}

// Pools give what the device has; what they hold on to is not tested here.
struct CUmemPoolHandle_st {};

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, cudaMemPoolProps const* properties) {
    entry const e("cudaMemPoolCreate");
    if (cudaError_t const error = device_state(); error != cudaSuccess)
        return report(error);
    if (pool == nullptr || properties == nullptr || properties->allocType != cudaMemAllocationTypePinned ||
        properties->location.type != cudaMemLocationTypeDevice || properties->location.id != 0)
        return report(cudaErrorInvalidValue);
    *pool = new CUmemPoolHandle_st;
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void* value) {
    entry const e("cudaMemPoolSetAttribute");
    bool const is_known = which == cudaMemPoolAttrReleaseThreshold;
    return report(pool == nullptr || value == nullptr || !is_known ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    entry const e("cudaMemPoolDestroy");
    delete pool;
    return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void** p, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return pool == nullptr ? report(cudaErrorInvalidValue) : cudaMallocAsync(p, bytes, stream);
}

cudaError_t cudaFreeAsync(void* p, cudaStream_t stream) {
    entry const e("cudaFreeAsync");
    if (is_capturing(stream))
        stop({"allocations in a captured stream are not part of this device"});
    if (p == nullptr)
        return report(device_state());
    block const* const b = nearest_block(p);
    if (!is_device_address(p) || b == nullptr || !b->alive || b->first != reinterpret_cast<std::uintptr_t>(p))
        stop({"is to release what is not the beginning of an allocation: ", where(p)});
    return report(enqueue(stream, "release", {}, [p] { release_device(p); }));
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total) {
    entry const e("cudaMemGetInfo");
    if (cudaError_t const error = device_state(); error != cudaSuccess)
        return report(error);
    *total = bytes_of_device;
    *free_bytes = bytes_of_device - bytes_in_use();
    return cudaSuccess;
}

// Pinned memory of the host
// -------------------------------------------------------------------------------------

cudaError_t cudaHostAlloc(void** p, std::size_t bytes, unsigned flags) {
    entry const e("cudaHostAlloc");
    if (cudaError_t const error = device_state(); error != cudaSuccess)
        return report(error);
    if (p == nullptr || (flags & cudaHostAllocMapped) != 0)
        return report(cudaErrorInvalidValue);
    if (cudaError_t const error = refuse_in_capture(); error != cudaSuccess)
        return report(error);
    *p = nullptr;
    if (bytes == 0)
        return cudaSuccess;
    *p = std::malloc(bytes);
    std::memset(*p, 0xFF, bytes);
    pinned().push_back({reinterpret_cast<std::uintptr_t>(*p), bytes});
    return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* found, void const* p) {
    entry const e("cudaPointerGetAttributes");
    if (found == nullptr)
        return report(cudaErrorInvalidValue);
    if (cudaError_t const error = device_state(); error != cudaSuccess)
        return report(error);
    *found = {};
    auto const at = reinterpret_cast<std::uintptr_t>(p);
    auto const is_pinned = [at](pinned_block const& b) { return at >= b.first && at < b.first + b.bytes; };
    found->device = 0;
    if (block const* const b = is_device_address(p) ? nearest_block(p) : nullptr;
        b != nullptr && b->alive && at >= b->first && at < b->first + b->bytes) {
        found->type = cudaMemoryTypeDevice;
        found->devicePointer = const_cast<void*>(p);
    } else if (std::any_of(pinned().begin(), pinned().end(), is_pinned)) {
        found->type = cudaMemoryTypeHost;
        found->devicePointer = found->hostPointer = const_cast<void*>(p);
    } else {
        found->type = cudaMemoryTypeUnregistered;
        found->device = -1;
        found->hostPointer = const_cast<void*>(p);
    }
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void** p, std::size_t bytes) {
    return cudaHostAlloc(p, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void* p) {
    entry const e("cudaFreeHost");
    if (p == nullptr)
        return report(device_state());
    if (cudaError_t const error = refuse_in_capture(); error != cudaSuccess)
        return report(error);
    auto const at = reinterpret_cast<std::uintptr_t>(p);
    auto const found =
        std::find_if(pinned().begin(), pinned().end(), [at](pinned_block const& b) { return b.first == at; });
    if (found == pinned().end())
        return report(cudaErrorInvalidValue);
    for (auto const& o : waiting())
        for (range const& r : o->what.ranges) {
            auto const first = reinterpret_cast<std::uintptr_t>(r.at);
            if (r.extent() != 0 && first < at + found->bytes && at < first + r.extent())
                stop({"is to release memory that a waiting ", o->what.name, " uses"});
        }
    pinned().erase(found);
    std::free(p);
    return cudaSuccess;
}

// Copies
// --------------------------------------------------------------------------------------------------------

cudaError_t cudaMemcpy(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind) {
    entry const e("cudaMemcpy");
    return report(copy(to, from, {bytes, bytes, bytes, 1}, kind, nullptr, true));
}
cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    entry const e("cudaMemcpyAsync");
    return report(copy(to, from, {bytes, bytes, bytes, 1}, kind, stream, false));
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                         std::size_t width, std::size_t rows, cudaMemcpyKind kind) {
    entry const e("cudaMemcpy2D");
    return report(copy(to, from, {to_pitch, from_pitch, width, rows}, kind, nullptr, true));
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, void const* from, std::size_t from_pitch,
                              std::size_t width, std::size_t rows, cudaMemcpyKind kind, cudaStream_t stream) {
    entry const e("cudaMemcpy2DAsync");
    return report(copy(to, from, {to_pitch, from_pitch, width, rows}, kind, stream, false));
}

cudaError_t cudaMemset(void* p, int value, std::size_t bytes) {
    entry const e("cudaMemset");
    return report(fill(p, value, bytes, bytes, 1, nullptr));
}
cudaError_t cudaMemsetAsync(void* p, int value, std::size_t bytes, cudaStream_t stream) {
    entry const e("cudaMemsetAsync");
    return report(fill(p, value, bytes, bytes, 1, stream));
}
cudaError_t cudaMemset2D(void* p, std::size_t pitch, int value, std::size_t width, std::size_t rows) {
    entry const e("cudaMemset2D");
    return report(fill(p, value, pitch, width, rows, nullptr));
}
cudaError_t cudaMemset2DAsync(void* p, std::size_t pitch, int value, std::size_t width, std::size_t rows,
                              cudaStream_t stream) {
    entry const e("cudaMemset2DAsync");
    return report(fill(p, value, pitch, width, rows, stream));
}
