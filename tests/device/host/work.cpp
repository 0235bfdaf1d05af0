// SPDX-License-Identifier: BSL-1.0
// Operations run when they are waited for: those that are needed, of those that may run the one that was
// asked for last. So what a program forgot to wait for, and what it forgot to order, has not happened. With a
// seed the order is random, and operations run before they are needed too.
#include "work.hpp"
#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

namespace host_device {

work_state& work() {
    static auto& it = *new work_state;
    return it;
}

namespace {

struct queue {
    std::map<long, operation_pointer> waiting{};
    long serial = 0;
    std::uint64_t random = 0, seed = 0;
};
queue& all() {
    static auto& it = *new queue;
    return it;
}

unsigned char const* row(range const& r, std::size_t i) {
    return static_cast<unsigned char const*>(r.at) + i * r.pitch;
}
std::uint64_t hash_of(range const& r) {
    std::uint64_t h = 0;
    for (std::size_t i = 0; i < r.rows; ++i)
        h = h * 31 + content_hash(row(r, i), r.bytes);
    return h;
}
void fill(range const& r) {
    for (std::size_t i = 0; i < r.rows; ++i)
        poison(const_cast<unsigned char*>(row(r, i)), r.bytes);
}
bool is_host(range const& r) {
    return r.kind == range::host_read || r.kind == range::host_write;
}

void run(operation& o) {
    run(o.what, o.hashes);
    o.done = true;
    o.after.clear();
    o.what.work = nullptr;
    all().waiting.erase(o.serial);
    ++work().counted.operations;
}

/// Operations that have to run, and which of them may.
class agenda {
public:
    explicit agenda(std::vector<operation_pointer> targets) {
        std::unordered_map<operation*, bool> seen;
        while (!targets.empty()) {
            operation_pointer const o = std::move(targets.back());
            targets.pop_back();
            if (o == nullptr || o->done || !seen.emplace(o.get(), true).second)
                continue;
            std::size_t before = 0;
            for (auto const& other : o->after)
                if (!other->done) {
                    ++before;
                    followers_[other.get()].push_back(o);
                    targets.push_back(other);
                }
            if (before > 0)
                before_[o.get()] = before;
            else if (!o->held)
                ready_.push_back(o);
        }
    }
    bool is_empty() const { return ready_.empty(); }
    void run_next() {
        auto const next =
            control().order != 0
                ? ready_.begin() + static_cast<std::ptrdiff_t>(draw(ready_.size()))
                : std::max_element(ready_.begin(), ready_.end(),
                                   [](auto const& a, auto const& b) { return a->serial < b->serial; });
        operation_pointer const o = *next;
        ready_.erase(next);
        run(*o);
        for (auto const& other : followers_[o.get()])
            if (--before_[other.get()] == 0 && !other->held)
                ready_.push_back(other);
    }

private:
    std::vector<operation_pointer> ready_{};
    std::unordered_map<operation*, std::size_t> before_{};
    std::unordered_map<operation*, std::vector<operation_pointer>> followers_{};
};

} // namespace

std::size_t draw(std::size_t n) {
    queue& q = all();
    if (q.seed != control().order)
        q.random = q.seed = control().order;
    q.random += 0x9e3779b97f4a7c15u;
    std::uint64_t z = q.random;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::size_t>((z ^ (z >> 31)) % n);
}

std::vector<std::uint64_t> call_of(task const& t) {
    std::vector<std::uint64_t> hashes;
    for (range const& r : t.ranges) {
        if (r.extent() == 0)
            continue;
        if (!is_host(r)) {
            require_device(r.what, r.at, r.extent());
            continue;
        }
        require_host(r.what, r.at, r.extent());
        if (r.kind == range::host_write)
            fill(r);
        else
            hashes.push_back(hash_of(r));
    }
    return hashes;
}

void run(task const& t, std::vector<std::uint64_t> const& hashes) {
    running const now(t.name.c_str());
    std::vector<void const*> memory;
    for (range const& r : t.ranges)
        if (!is_host(r) && r.extent() != 0)
            memory.push_back(r.at);
    open_memory const open(memory);
    std::size_t next_hash = 0;
    for (range const& r : t.ranges) {
        if (r.extent() == 0)
            continue;
        if (r.kind == range::host_read && hash_of(r) != hashes[next_hash++])
            stop({r.what, ": ", r.extent(),
                  " bytes of the host's memory have changed between the call and the copy"});
        if (is_host(r))
            continue;
        require_device(r.what, r.at, r.extent());
        if (!nearest_block(r.at)->ready)
            stop({r.what, ": is used before its allocation in a stream; let the stream wait for that"});
        if (r.kind == range::device_scratch)
            fill(r);
    }
    if (t.work)
        t.work();
    for (range const& r : t.ranges) {
        if (is_host(r) || r.extent() == 0)
            continue;
        if (r.kind == range::device_scratch)
            fill(r);
        if (r.kind != range::device_read)
            check_slack(*nearest_block(r.at));
    }
}

operation_pointer push(CUstream_st& s, task what, std::vector<operation_pointer> also) {
    queue& q = all();
    auto const o = std::make_shared<operation>();
    o->hashes = call_of(what);
    o->what = std::move(what);
    o->serial = ++q.serial;
    o->after = tails(s);
    o->after.insert(o->after.end(), also.begin(), also.end());
    std::erase_if(o->after, [](auto const& other) { return other == nullptr || other->done; });
    s.last = o;
    q.waiting.emplace(o->serial, o);
    if (control().order != 0)
        while (draw(3) == 0 && !q.waiting.empty()) {
            auto any = q.waiting.begin();
            std::advance(any, static_cast<std::ptrdiff_t>(draw(q.waiting.size())));
            run_one(any->second);
        }
    return o;
}

void run_until(std::vector<operation_pointer> const& targets) {
    for (agenda todo(targets); !todo.is_empty();)
        todo.run_next();
}
void run_one(operation_pointer const& target) {
    if (agenda todo({target}); !todo.is_empty())
        todo.run_next();
}

std::vector<operation_pointer> waiting() {
    std::vector<operation_pointer> them;
    for (auto const& [serial, o] : all().waiting)
        them.push_back(o);
    return them;
}

std::vector<CUstream_st*> blocking_streams() {
    std::vector<CUstream_st*> them;
    for (auto const& [s, own] : work().streams)
        if (s->blocking)
            them.push_back(s);
    return them;
}

std::vector<operation_pointer> tails(CUstream_st& s) {
    std::vector<operation_pointer> last{s.last};
    if (&s == &work().legacy)
        for (CUstream_st* const other : blocking_streams())
            last.push_back(other->last);
    else if (s.blocking)
        last.push_back(work().legacy.last);
    return last;
}

void run_nodes(std::vector<graph_node> const& nodes, std::vector<std::vector<std::uint64_t>> const& hashes) {
    std::vector<std::size_t> before(nodes.size()), ready;
    std::vector<std::vector<std::size_t>> followers(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        before[i] = nodes[i].after.size();
        for (std::size_t const other : nodes[i].after)
            followers[other].push_back(i);
        if (before[i] == 0)
            ready.push_back(i);
    }
    while (!ready.empty()) {
        auto const next = control().order != 0
                              ? ready.begin() + static_cast<std::ptrdiff_t>(draw(ready.size()))
                              : std::prev(ready.end());
        std::size_t const i = *next;
        ready.erase(next);
        run(nodes[i].what, hashes[i]);
        for (std::size_t const other : followers[i])
            if (--before[other] == 0)
                ready.push_back(other);
    }
}

CUstream_st& stream_of(cudaStream_t handle) {
    if (handle == nullptr || handle == cudaStreamLegacy)
        return work().legacy;
    if (handle == cudaStreamPerThread)
        stop({"the default stream of a thread is not part of this device"});
    return work().streams.at(handle);
}

void require_stream(cudaStream_t stream) {
    stream_of(stream);
}
void finish(cudaStream_t stream) {
    auto const last = tails(stream_of(stream));
    run_until(last);
    for (auto const& o : last)
        if (o != nullptr && !o->done)
            stop({"waits for ranks that have not come, and would wait for ever if they do not"});
}
void finish_all() {
    run_until(waiting());
}

counters count() {
    counters c = work().counted;
    c.allocations = count_blocks();
    c.streams = work().streams.alive();
    c.events = work().events.alive();
    c.graphs = work().graphs.alive() + work().executables.alive();
    c.pending = static_cast<long>(all().waiting.size());
    return c;
}
void count_handle(int change) {
    work().counted.handles += change;
}
void count_product() {
    ++work().counted.products;
}

} // namespace host_device
