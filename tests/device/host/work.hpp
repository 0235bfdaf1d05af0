// SPDX-License-Identifier: BSL-1.0
// Operations that wait, the streams and events that order them, and graphs of them.
#pragma once

#include "memory.hpp"
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <thread>

namespace host_device {

/// What is to be done, with the memory that it needs.
struct task {
    std::string name;
    std::vector<range> ranges;
    std::function<void()> work;
};
/// What is done at the call: memory is checked, destinations are filled. Gives what the host's sources hold.
std::vector<std::uint64_t> call_of(task const& t);
/// What is done later. `hashes` are those of the call.
void run(task const& t, std::vector<std::uint64_t> const& hashes);

struct operation {
    long serial = 0;
    task what;
    std::vector<std::uint64_t> hashes;
    std::vector<std::shared_ptr<operation>> after;
    bool done = false;
    bool held = false; ///< does not run yet, because of what others have not asked for (NCCL's ranks)
};
using operation_pointer = std::shared_ptr<operation>;

struct graph_node {
    task what;
    std::vector<std::size_t> after;
};
using graph_nodes = std::shared_ptr<std::vector<graph_node> const>;

struct recording {
    std::vector<graph_node> nodes{};
    cudaStream_t origin = nullptr;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id thread{};
    std::set<cudaStream_t> streams{};
    bool lost = false;
    bool open = true; ///< the capture goes on
};

/// Handles that are alive, and those that were: an address is not used twice.
template <class T>
class registry {
public:
    explicit registry(char const* what) : what_(what) {}
    T* make(T made) {
        auto one = std::make_unique<T>(std::move(made));
        T* const p = one.get();
        all_.emplace(p, std::move(one));
        ++alive_;
        return p;
    }
    /// Stops where it is none that is alive.
    T& at(T* p) const {
        auto const found = all_.find(p);
        if (found == all_.end())
            stop({"is given ", p == nullptr ? "a null pointer" : "an address", " that is no ", what_});
        if (!p->alive)
            stop({"is given a handle to a destroyed ", what_});
        return *p;
    }
    void destroy(T* p) {
        at(p).alive = false;
        --alive_;
    }
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }
    long alive() const { return alive_; }

private:
    char const* what_;
    std::map<T*, std::unique_ptr<T>> all_{};
    long alive_ = 0;
};

} // namespace host_device

// What CUDA's handles point to.
struct CUstream_st {
    bool blocking = true; ///< ordered with the legacy stream
    bool alive = true;
    host_device::operation_pointer last{};
    std::shared_ptr<host_device::recording> capture{};
    std::vector<std::size_t> nodes{}; ///< that the next node of the capture follows
};
struct CUevent_st {
    bool timed = true;
    bool alive = true;
    host_device::operation_pointer at{}; ///< null: never recorded, or reached
    bool recorded = false;
    std::shared_ptr<std::chrono::steady_clock::time_point> time{};
    std::shared_ptr<host_device::recording> capture{};
    std::vector<std::size_t> nodes{};
};
struct CUgraph_st {
    host_device::graph_nodes nodes{};
    bool alive = true;
};
struct CUgraphExec_st {
    host_device::graph_nodes nodes{};
    bool alive = true;
};

namespace host_device {

struct work_state {
    registry<CUstream_st> streams{"stream"};
    registry<CUevent_st> events{"event"};
    registry<CUgraph_st> graphs{"graph"};
    registry<CUgraphExec_st> executables{"executable graph"};
    CUstream_st legacy{};
    counters counted{};
};
work_state& work();

/// The stream of a handle.
CUstream_st& stream_of(cudaStream_t handle);
/// Puts an operation into a stream that is not captured; it also follows `also`.
operation_pointer push(CUstream_st& s, task what, std::vector<operation_pointer> also = {});
/// Runs what these wait for, and these; of what is held nothing.
void run_until(std::vector<operation_pointer> const& targets);
/// Runs one operation that it waits for, or it.
void run_one(operation_pointer const& target);
/// What a stream has been given last, legacy stream included where that orders it.
std::vector<operation_pointer> tails(CUstream_st& s);
/// Streams, beside the legacy one, that order themselves with it.
std::vector<CUstream_st*> blocking_streams();
/// Operations that have not run.
std::vector<operation_pointer> waiting();
/// A number below n, of the random order.
std::size_t draw(std::size_t n);
/// Runs nodes in an order that their edges allow.
void run_nodes(std::vector<graph_node> const& nodes, std::vector<std::vector<std::uint64_t>> const& hashes);

/// This thread's answer to captures of others.
cudaStreamCaptureMode& thread_capture_mode();
/// The recording is lost; gives the error.
cudaError_t lose(recording& r, cudaError_t error);

} // namespace host_device
