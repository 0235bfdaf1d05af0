// SPDX-License-Identifier: BSL-1.0
// A queue of work on a device: one stream, the memory that is ordered by it, and cuBLAS. All cells that a
// thread makes on a device share one, so that what one of them leaves the next finds without a wait. Other
// threads may use it too; each holds it while it puts work into it.
//
// It keeps memory that is given back (cudnn/runtime/free_blocks.hpp), as much as was ever in use at once,
// until there is no other. With SLUICE_KEEP_MEMORY=off in the environment all goes back to CUDA's pool.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <sluice/cudnn/runtime/device.hpp>
#include <sluice/cudnn/runtime/free_blocks.hpp>
#include <sluice/cudnn/runtime/graphs.hpp>
#include <sluice/cudnn/runtime/handle.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::cudnn {

class queue {
public:
    /// That of this thread and its current device. Throws a sentence if there is no device.
    static std::shared_ptr<queue> of_this_thread() {
        static thread_local std::map<int, std::weak_ptr<queue>> all;
        device_facts const facts = current_device();
        std::shared_ptr<queue> found = all[facts.number].lock();
        if (!found)
            all[facts.number] = found = std::make_shared<queue>(facts);
        return found;
    }
    explicit queue(device_facts const& facts, bool keeps_memory = memory_is_kept())
        : device(facts), keeps_memory_(keeps_memory) {
        std::size_t const bytes = std::size_t(device.major >= 9 ? 32 : 8) << 20;
        require(cublasSetStream(blas_.get(), stream_.get()), {"use a stream"});
        require(cublasSetMathMode(blas_.get(), CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION),
                {"sum products in the type of arithmetic"});
        blas_memory_ = block(*this, bytes);
        require(cublasSetWorkspace(blas_.get(), blas_memory_.data(), bytes),
                {"use ", bytes, " bytes as its workspace"});
    }
    queue(queue const&) = delete;
    queue& operator=(queue const&) = delete;
    ~queue() {
        (void)cudaStreamSynchronize(stream_.get());
        graphs_.clear();
        blas_memory_ = {};
        drop_free(0);
        (void)cudaStreamSynchronize(stream_.get());
    }

    device_facts const device;
    cudaStream_t stream() const { return stream_.get(); }
    cublasHandle_t blas() const { return blas_.get(); }

    /// Keeps other threads out and makes the device current. May be held twice by a thread.
    class lock {
    public:
        explicit lock(queue& q) : lock_(q.mutex_), device_(q.device.number) {}

    private:
        std::lock_guard<std::recursive_mutex> lock_;
        current_device_scope device_;
    };

    /// Memory for so many bytes, also for none; its address is a multiple of 256.
    void* allocate(std::size_t bytes) {
        lock const mine(*this);
        if (bytes > std::numeric_limits<std::size_t>::max() - 255)
            require(cudaErrorMemoryAllocation, {"allocate ", bytes, " bytes of device memory"});
        std::size_t const size = size_of_block(bytes);
        void* p = free_.take(size);
        if (p == nullptr) {
            auto const ask = [&] { return cudaMallocFromPoolAsync(&p, size, pool_.get(), stream()); };
            cudaError_t status = ask();
            if (status == cudaErrorMemoryAllocation && free_.bytes() > 0) {
                (void)cudaGetLastError();
                drop_free(0);
                status = ask();
            }
            require(status, {"allocate ", bytes, " bytes of device memory"});
        }
        bytes_in_use_ += size;
        most_in_use_ = std::max(most_in_use_, bytes_in_use_);
        return p;
    }
    /// Gives back what allocate(bytes) gave, after all work that there is; never throws.
    void release(void* p, std::size_t bytes) noexcept {
        try {
            lock const mine(*this);
            std::size_t const size = size_of_block(bytes);
            bytes_in_use_ -= size;
            try {
                free_.give(p, size);
            } catch (std::bad_alloc const&) {
                (void)cudaFreeAsync(p, stream());
            }
            drop_free(keeps_memory_ ? most_in_use_ : 0);
        } catch (std::exception const&) { // the device is lost, and its memory with it
        }
    }
    /// Whether it is an address that the device reads and writes.
    bool holds(void const* p) const {
        cudaPointerAttributes found{};
        require(cudaPointerGetAttributes(&found, p), {"say whose memory an address is of"});
        return found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged;
    }
    /// Has read the host's bytes when it returns.
    void upload(void const* host, std::size_t bytes, void* to) {
        lock const mine(*this);
        for (std::size_t done = 0; done < bytes;) {
            std::size_t const count = std::min(bytes - done, staged_bytes);
            staging& next = free_staging();
            std::memcpy(next.memory.get(), static_cast<char const*>(host) + done, count);
            require(cudaMemcpyAsync(static_cast<char*>(to) + done, next.memory.get(), count,
                                    cudaMemcpyHostToDevice, stream()),
                    {"copy ", count, " bytes to the device"});
            require(cudaEventRecord(next.done.get(), stream()), {"record an event behind a copy"});
            done += count;
        }
    }
    /// The host reads them after the next wait().
    void download(void const* from, std::size_t bytes, void* host) {
        lock const mine(*this);
        if (bytes > 0)
            require(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost, stream()),
                    {"copy ", bytes, " bytes from the device"});
    }
    /// Asks for a command: a kernel's argument stands in words of 8 bytes. Inside as_one it is noted only.
    template <class Command>
    void submit(Command const& command, std::span<std::uint64_t const> argument = {}) {
        lock const mine(*this);
        log_.add(command, argument);
        if (!noting_)
            run_log(false);
        else if (log_.count() == most_commands)
            run_log(true);
    }
    /// f asks for commands, and for nothing else; they are done as one piece of work, or a few.
    template <class F>
    void as_one(F f) {
        lock const mine(*this);
        if (std::exchange(noting_, true))
            return f();
        try {
            f();
            run_log(true);
        } catch (...) {
            log_.clear();
            noting_ = false;
            throw;
        }
        noting_ = false;
    }
    /// What became of the work that was asked for as one piece.
    recorded_graphs::counts graphs() {
        lock const mine(*this);
        return graphs_.so_far();
    }
    void wait() {
        lock const mine(*this);
        require(cudaStreamSynchronize(stream()), {"finish the work on the device"});
    }

    /// A block of the queue's memory, or none.
    class block {
    public:
        block() = default;
        block(queue& q, std::size_t bytes) : queue_(&q), data_(q.allocate(bytes)), bytes_(bytes) {}
        block(block&& other) noexcept { swap(other); }
        block& operator=(block&& other) noexcept {
            block taken(std::move(other));
            swap(taken);
            return *this;
        }
        ~block() {
            if (data_ != nullptr)
                queue_->release(data_, bytes_);
        }
        void* data() const { return data_; }
        std::size_t bytes() const { return bytes_; }
        /// Makes room for at least so many bytes; what was there is lost if there was less.
        void grow(queue& q, std::size_t bytes) {
            if (bytes > bytes_)
                *this = block(), *this = block(q, bytes);
        }

    private:
        queue* queue_ = nullptr;
        void* data_ = nullptr;
        std::size_t bytes_ = 0;

        void swap(block& other) noexcept {
            std::swap(queue_, other.queue_);
            std::swap(data_, other.data_);
            std::swap(bytes_, other.bytes_);
        }
    };

private:
    static constexpr std::size_t staged_bytes = std::size_t(1) << 20;
    static constexpr std::size_t most_staging = 4;
    struct free_host_memory {
        void operator()(void* p) const { (void)cudaFreeHost(p); }
    };
    /// Memory of the host that the device copies from, until `done`.
    struct staging {
        std::unique_ptr<void, free_host_memory> memory;
        unique_event done{"an event"};
    };

    std::recursive_mutex mutex_{};
    unique_pool pool_{"a pool of memory"};
    unique_stream stream_{"a stream"};
    unique_blas blas_{"a handle"};
    std::vector<staging> staging_{};
    std::size_t next_staging_ = 0;
    free_blocks free_{};
    std::size_t bytes_in_use_ = 0, most_in_use_ = 0;
    bool const keeps_memory_;
    block blas_memory_{};
    static constexpr std::size_t most_commands = 4096; ///< of a graph
    command_log log_{};
    recorded_graphs graphs_{};
    bool noting_ = false;

    static std::size_t size_of_block(std::size_t bytes) {
        return std::max<std::size_t>((bytes + 255) / 256 * 256, 256);
    }
    static bool memory_is_kept() {
        char const* const asked = std::getenv("SLUICE_KEEP_MEMORY"); // NOLINT: nothing here sets it
        return asked == nullptr || std::string_view(asked) != "off";
    }
    /// So that not more than so many bytes are free. After all work that there is.
    void drop_free(std::size_t most) {
        free_.drop(most, [this](void* p) { (void)cudaFreeAsync(p, stream()); });
    }
    void run_log(bool as_graph) {
        command_target const where{stream(), blas()};
        try {
            if (as_graph)
                graphs_.run(log_, where);
            else
                log_.run(where);
        } catch (...) {
            log_.clear();
            throw;
        }
        log_.clear();
    }
    staging& free_staging() {
        if (staging_.size() < most_staging) {
            void* p = nullptr;
            require(cudaMallocHost(&p, staged_bytes),
                    {"allocate ", staged_bytes, " bytes of page-locked memory"});
            std::unique_ptr<void, free_host_memory> owned(p);
            staging_.push_back({std::move(owned)});
            return staging_.back();
        }
        staging& oldest = staging_[next_staging_++ % most_staging];
        require(cudaEventSynchronize(oldest.done.get()), {"wait until the device has read a copy"});
        return oldest;
    }
};

namespace detail {

/// Work that `later` is given from now on runs after all work that `earlier` has been given.
inline void follow(queue& later, queue& earlier) {
    if (&later == &earlier)
        return;
    unique_event done;
    {
        queue::lock const mine(earlier);
        done = unique_event("an event");
        require(cudaEventRecord(done.get(), earlier.stream()), {"record an event"});
    }
    queue::lock const mine(later);
    require(cudaStreamWaitEvent(later.stream(), done.get(), 0), {"wait for the work of another thread"});
}

} // namespace detail
} // namespace sluice::cudnn
