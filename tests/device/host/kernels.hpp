// SPDX-License-Identifier: BSL-1.0
// Kernels: the form in which their text travels as a "cubin", how it is compiled for the host, and how it
// runs.
#pragma once

#include "memory.hpp"
#include <array>
#include <map>
#include <memory>
#include <optional>

namespace host_device {

/// What NVRTC of the device of the host gives for a text. It carries the text, so that it can lie in a file.
struct kernel_text {
    std::string architecture{};             ///< "sm_80", "compute_75"
    std::string standard{};                 ///< "c++17"
    std::vector<std::string> definitions{}; ///< "NAME=VALUE"
    std::vector<std::pair<std::string, std::string>>
        kernels{}; ///< the name to ask for, and the expression in the text
    std::string text{};

    std::string packed() const;
    /// Nothing where the bytes are not such a form, or not whole.
    static std::optional<kernel_text> unpacked(char const* bytes);
};

/// The kernels `extern "C"` of a text.
struct written_kernel {
    std::string name{};
    unsigned most_threads = 1024; ///< of a block: __launch_bounds__
};
std::vector<written_kernel> kernels_of(std::string const& text);

// As prelude.inc declares them.
struct host_index {
    unsigned x, y, z;
};
struct compiled_kernel {
    char const* name;
    void (*call)(void**);
    unsigned count;
    unsigned const* sizes;
    bool const* pointers;
};
struct host_calls {
    void (*barrier)(int line);
    void (*exchange)(unsigned mask, void const* value, void* result, unsigned bytes, unsigned source,
                     int line);
    unsigned (*vote)(unsigned mask, int predicate, int line);
    void (*access)(void const* p, unsigned bytes, int writes);
    void* dynamic_shared;
};
struct compiled_image {
    compiled_kernel const* kernels;
    unsigned count;
    host_index *thread, *block, *block_extents, *grid_extents;
    host_calls** calls;
    void *shared_first, *shared_last;
};

/// A text, compiled and loaded; one for all that load the same.
struct image {
    compiled_image const* table = nullptr;
    bool meets = false; ///< threads wait for each other
    bool trace = false;
    std::uintptr_t first = 0, last = 0; ///< where it is loaded
};
/// Null where the compiler refuses; then `log` is what it says.
image const* compile(kernel_text const& text, std::string& log);
/// A folder of this user for files that can be made again.
std::string cache_folder();
/// Two numbers that tell texts apart, as 32 digits.
std::string name_of_content(std::string const& content);
std::optional<std::string> read_file(std::string const& path);
/// Whole or not at all.
void write_file(std::string const& path, std::string const& content);

/// One run of a kernel.
struct launch {
    image const* from = nullptr;
    compiled_kernel const* kernel = nullptr;
    host_index grid{1, 1, 1}, block{1, 1, 1};
    std::size_t dynamic_shared = 0;
    std::vector<unsigned char> arguments{};
    std::vector<std::size_t> offsets{};

    unsigned threads() const { return block.x * block.y * block.z; }
    void** pointers(); ///< to the arguments

private:
    std::vector<void*> pointers_{};
};
/// Runs all blocks one after the other; `backwards`: the last block, and the last thread, first.
void run_blocks(launch& what, bool backwards);
/// "block (1, 0, 0), thread (3, 0, 0)", of the kernel that runs.
std::string running_thread();

// Threads that meet; fibers.cpp.
void run_block_of_fibers(launch& what, bool backwards, void (*start)(unsigned thread));
/// Whether an address lies in the stack of a thread.
bool is_fiber_stack(void const* p);
void meet_at_barrier(int line);
void exchange_in_warp(unsigned mask, void const* value, void* result, unsigned bytes, unsigned source,
                      int line);
unsigned vote_in_warp(unsigned mask, int predicate, int line);

// Each access of a kernel; trace.cpp.
/// `stack`: where that of threads that run one after the other begins.
void begin_trace(launch const& of, void const* stack);
void begin_traced_block(void const* dynamic_shared, std::size_t bytes);
void trace_barrier();              ///< all threads of the block have met
void trace_meeting(unsigned warp); ///< the threads of a warp
void trace_access(void const* p, unsigned bytes, int writes);
void set_traced_thread(unsigned thread);

} // namespace host_device
