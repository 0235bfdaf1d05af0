// SPDX-License-Identifier: BSL-1.0
// A CUDA device that is made of the host: what its parts (CUDA runtime, cuBLAS, NVRTC, cuDNN) share.
//
// Memory. Device memory lies in one range of addresses that the process may not touch. It is opened while an
// operation runs, and only then. Addresses are never used twice; each block ends at a page that is always
// closed. Fresh memory is 0xFF in every byte, which is NaN in every floating type.
//
// Work. An entry point checks its arguments, copies the numbers that the caller may change (alpha, beta,
// kernel arguments) and puts an operation into the queue of a stream. Nothing runs before it must: a wait
// runs what it waits for and nothing else. So work that was not waited for has not happened.
//
// Errors. What the real library answers with a status is answered with that status. What it would not notice,
// and what would be wrong, ends the program with a sentence.
#pragma once

#include "controls.hpp"
#include <cstddef>
#include <cuda_runtime_api.h>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace host_device {

/// A piece of a sentence: text or a number.
class part {
public:
    part(char const* s) : text_(s != nullptr ? s : "(null)") {}
    part(std::string s) : text_(std::move(s)) {}
    part(std::string_view s) : text_(s) {}
    template <class N>
        requires(std::is_arithmetic_v<N>)
    part(N n) : text_(std::to_string(n)) {}
    std::string const& text() const { return text_; }

private:
    std::string text_;
};
std::string sentence(std::initializer_list<part> parts);

/// Says what is wrong, and where, and ends the program by abort().
[[noreturn]] void stop(std::initializer_list<part> parts);

/// Every entry point begins with one: it keeps other threads out and names the call in sentences. Calls nest.
class entry {
public:
    explicit entry(char const* name);
    ~entry();
    entry(entry const&) = delete;
    entry& operator=(entry const&) = delete;

private:
    char const* outer_;
};
/// The outermost entry point, or the operation that runs.
char const* current_call();

// Memory
// ------------------------------------------------------------------------------------------------------

/// Whether the address is one of the device's, be it in use or not.
bool is_device_address(void const* p);
/// Bytes from p to the end of the block that it lies in; 0 where no block is alive.
std::size_t device_bytes(void const* p);
/// Stops with "CALL WHAT: needs N bytes of device memory at ..., has M" where fewer are alive.
void require_device(char const* what, void const* p, std::size_t bytes);
/// Stops where the host's memory is expected and the address is the device's, or null.
void require_host(char const* what, void const* p, std::size_t bytes);

/// While one lives, this thread may touch device memory: the blocks in which the addresses lie; where the CPU
/// has protection keys, all of it. Operations run with the memory of their ranges open.
class open_memory {
public:
    explicit open_memory(std::vector<void const*> const& addresses);
    ~open_memory();
    open_memory(open_memory const&) = delete;
    open_memory& operator=(open_memory const&) = delete;

private:
    std::vector<void const*> opened_{};
};

/// A block of device memory, filled with 0xFF; its address is a multiple of 256. Null where it is to fail,
/// and for no bytes.
void* allocate_device(std::size_t bytes);
/// Stops where p is not the beginning of a block.
void release_device(void* p);
/// Fills with 0xFF. Device memory has to be open.
void poison(void* p, std::size_t bytes);
/// A number that tells one content from another. Device memory has to be open, if it is that.
std::uint64_t content_hash(void const* p, std::size_t bytes);

// Work
// --------------------------------------------------------------------------------------------------------

/// Memory that an operation uses. It is checked when the operation is asked for and once more when it runs.
/// scratch is filled with 0xFF before and after the operation. host_read has to be the same at both times;
/// host_write is filled with 0xFF at the call.
struct range {
    enum kind_type { device_read, device_write, device_scratch, host_read, host_write };
    kind_type kind;
    char const* what; ///< names it in sentences: "C", "x", "reserve space"; lives forever
    void const* at;
    std::size_t bytes;    ///< of a row; of 0 nothing is checked, and `at` may be null
    std::size_t rows = 1; ///< that begin `pitch` bytes apart
    std::size_t pitch = 0;

    std::size_t extent() const { return rows == 0 || bytes == 0 ? 0 : (rows - 1) * pitch + bytes; }
};
inline range reads(char const* what, void const* p, std::size_t bytes) {
    return {range::device_read, what, p, bytes};
}
inline range writes(char const* what, void* p, std::size_t bytes) {
    return {range::device_write, what, p, bytes};
}
inline range scratch(char const* what, void* p, std::size_t bytes) {
    return {range::device_scratch, what, p, bytes};
}
inline range host_reads(char const* what, void const* p, std::size_t bytes) {
    return {range::host_read, what, p, bytes};
}
inline range host_writes(char const* what, void* p, std::size_t bytes) {
    return {range::host_write, what, p, bytes};
}

/// Puts an operation into the queue of a stream, or into the graph that the stream is being captured into. It
/// may run on any thread, at any later time, several times if captured. A refusal is one of capturing.
cudaError_t enqueue(cudaStream_t stream, std::string name, std::vector<range> ranges,
                    std::function<void()> work);

/// Stops with a sentence unless it is a stream that is alive; the legacy stream (null) always is.
void require_stream(cudaStream_t stream);
bool is_capturing(cudaStream_t stream);
/// Runs what the stream has to do. Not for streams that are being captured.
void finish(cudaStream_t stream);
/// Runs all that there is to do.
void finish_all();
/// For calls that are not allowed while a stream is captured (allocation, synchronisation): the error to
/// return, and the capture is then lost; else success.
cudaError_t refuse_in_capture();

/// Keeps the error for cudaGetLastError, and returns it.
cudaError_t report(cudaError_t error);
/// cudaErrorInsufficientDriver or cudaErrorNoDevice where the settings say so; every part asks before it
/// works.
cudaError_t device_state();

/// Counts handles of libraries that are alive (+1, -1).
void count_handle(int change);
void count_product();

} // namespace host_device
