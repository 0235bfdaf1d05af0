// SPDX-License-Identifier: BSL-1.0
// Graphs of CUDA that were made of commands (cudnn/runtime/commands.hpp). Work that comes a second time is
// captured into a graph; the same bytes launch the same graph again. Work that differs in its addresses
// changes a graph of the same shape to them, once there are several of that shape.
//
// The first time commands are done one by one: libraries load what they need at their first call, and may not
// do so while a stream is captured.
#pragma once

#include <list>
#include <optional>
#include <sluice/cudnn/runtime/commands.hpp>
#include <sluice/cudnn/runtime/handle.hpp>

namespace sluice::cudnn {

class recorded_graphs {
public:
    ~recorded_graphs() { clear(); }
    recorded_graphs() = default;
    recorded_graphs(recorded_graphs const&) = delete;
    recorded_graphs& operator=(recorded_graphs const&) = delete;

    void clear() {
        for (entry& e : entries_)
            (void)cudaGraphExecDestroy(e.exec);
        entries_.clear();
    }
    /// How many graphs were made, changed and launched.
    struct counts {
        std::size_t made = 0, changed = 0, launched = 0;
    };
    counts const& so_far() const { return counts_; }

    void run(command_log const& log, command_target const& where) {
        if (log.count() < fewest_commands)
            return log.run(where);
        std::uint64_t const shape = log.shape();
        entry* of_shape = nullptr; // the one that was not used for longest
        std::size_t same = 0;
        for (auto e = entries_.begin(); e != entries_.end(); ++e) {
            if (e->shape != shape)
                continue;
            if (e->bytes == log.bytes()) {
                entries_.splice(entries_.begin(), entries_, e);
                return launch(entries_.front(), where);
            }
            of_shape = &*e;
            ++same;
        }
        if (same == 0 && !was_seen(shape))
            return log.run(where);
        std::optional<captured> of_commands;
        try {
            of_commands.emplace(log, where);
        } catch (device_error const&) { // a command that cannot be captured, or one that fails in any case
            return log.run(where);
        }
        cudaGraph_t const graph = of_commands->get();
        if (same >= most_of_a_shape && change(*of_shape, graph))
            of_shape->bytes = log.bytes();
        else {
            if (same >= most_of_a_shape) // it may be changed in part
                entries_.remove_if([&](entry const& e) {
                    return &e == of_shape && cudaGraphExecDestroy(e.exec) == cudaSuccess;
                });
            make_room(log.count());
            cudaGraphExec_t exec = nullptr;
            require(cudaGraphInstantiate(&exec, graph, 0), {"make a graph of ", log.count(), " commands"});
            entries_.push_front({log.bytes(), shape, log.count(), exec});
            ++counts_.made;
            of_shape = &entries_.front();
        }
        launch(*of_shape, where);
    }

private:
    static constexpr std::size_t fewest_commands = 4;
    static constexpr std::size_t most_of_a_shape = 4;
    static constexpr std::size_t most_commands = 65536; ///< of all graphs
    static constexpr std::size_t most_seen = 64;

    struct entry {
        command_log::words bytes;
        std::uint64_t shape;
        std::size_t count;
        cudaGraphExec_t exec;
    };
    std::list<entry> entries_{}; ///< the last used first
    std::vector<std::uint64_t> seen_{};
    std::size_t next_seen_ = 0;
    counts counts_{};

    /// A graph of the commands.
    class captured {
    public:
        captured(command_log const& log, command_target const& where) {
            require(cudaStreamBeginCapture(where.stream, cudaStreamCaptureModeThreadLocal),
                    {"begin a capture"});
            try {
                log.run(where);
            } catch (...) {
                if (cudaStreamEndCapture(where.stream, &graph_) == cudaSuccess && graph_ != nullptr)
                    (void)cudaGraphDestroy(graph_);
                (void)cudaGetLastError();
                throw;
            }
            require(cudaStreamEndCapture(where.stream, &graph_), {"capture ", log.count(), " commands"});
        }
        captured(captured const&) = delete;
        captured& operator=(captured const&) = delete;
        ~captured() { (void)cudaGraphDestroy(graph_); }
        cudaGraph_t get() const { return graph_; }

    private:
        cudaGraph_t graph_ = nullptr;
    };

    /// Whether a shape was asked for before; from now on it was.
    bool was_seen(std::uint64_t shape) {
        for (std::uint64_t const one : seen_)
            if (one == shape)
                return true;
        if (seen_.size() < most_seen)
            seen_.push_back(shape);
        else
            seen_[next_seen_++ % most_seen] = shape;
        return false;
    }
    void launch(entry const& e, command_target const& where) {
        require(cudaGraphLaunch(e.exec, where.stream), {"launch a graph of ", e.count, " commands"});
        ++counts_.launched;
    }
    bool change(entry& e, cudaGraph_t to) {
        cudaGraphExecUpdateResultInfo said{};
        cudaError_t const status = cudaGraphExecUpdate(e.exec, to, &said);
        if (status == cudaErrorGraphExecUpdateFailure) {
            (void)cudaGetLastError();
            return false;
        }
        require(status, {"change the addresses of a graph of ", e.count, " commands"});
        ++counts_.changed;
        return true;
    }
    void make_room(std::size_t more) {
        std::size_t all = more;
        for (entry const& e : entries_)
            all += e.count;
        for (; all > most_commands && !entries_.empty(); entries_.pop_back()) {
            all -= entries_.back().count;
            (void)cudaGraphExecDestroy(entries_.back().exec);
        }
    }
};

} // namespace sluice::cudnn
