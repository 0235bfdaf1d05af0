// SPDX-License-Identifier: BSL-1.0
#include "host_nccl.hpp"
#include "on_ranks.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <device/host/work.hpp>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace host_nccl {

settings& control() {
    static settings& it = *new settings;
    return it;
}

namespace {

using host_device::entry;
using host_device::operation;
using host_device::operation_pointer;
using host_device::stop;
using content = std::shared_ptr<std::vector<unsigned char>>;

int living = 0;

/// What a rank asks for inside of a group.
struct request {
    enum kind_type { send, receive, sum, broadcast } kind;
    ncclComm_t comm;
    cudaStream_t stream;
    void const* from;
    void* to;
    std::size_t count;
    ncclDataType_t type;
    int peer; ///< or the root

    std::size_t bytes() const { return count * (type == ncclDouble ? 8 : type == ncclFloat ? 4 : 1); }
};

/// The requests of a rank in the queue of its stream: they run when all their partners have come.
struct group {
    operation_pointer gate = std::make_shared<operation>();
    std::size_t missing = 0;
    bool is_aborted = false;
};

struct post {
    request what;
    int rank;
    std::shared_ptr<group> of;
    content sent{};             ///< filled by the reader
    operation_pointer reader{}; ///< of what is sent
    std::shared_ptr<std::vector<content>> came = std::make_shared<std::vector<content>>();

    void take(post const& other) {
        if (other.sent) {
            came->push_back(other.sent);
            of->gate->after.push_back(other.reader);
        }
    }
    void has_partners() const {
        if (--of->missing == 0)
            of->gate->held = false;
    }
};

struct clique {
    int size = 0;
    int joined = 0;
    int finalised = 0;
    bool has_lost = false;                                      ///< a rank has aborted
    std::map<std::pair<int, int>, std::deque<post>> channels{}; ///< without a partner, by source and target
    std::map<long, std::vector<post>> meetings{};
};
std::map<long, std::shared_ptr<clique>>& cliques() {
    static auto& all = *new std::map<long, std::shared_ptr<clique>>;
    return all;
}

} // namespace

int alive() {
    return living;
}

} // namespace host_nccl

int on_ranks::most_ranks() {
    return 4;
}
void on_ranks::choose_device(int) {}

using namespace host_nccl;

struct ncclComm {
    std::shared_ptr<clique> all{};
    int rank = 0;
    int asked = 0; ///< how often, since something has begun
    bool is_finalised = false;
    bool breaks = false;                       ///< soon
    std::vector<std::vector<request>> begun{}; ///< groups that are not yet in the queue
    std::vector<std::shared_ptr<group>> groups{};
    long meetings = 0;
    std::string last{};
};

namespace {

thread_local int depth = 0;
thread_local std::vector<request> requests;

bool fails(char const* name, ncclComm_t comm) {
    settings& s = control();
    bool const is_here = s.failing_rank < 0 || comm == nullptr || comm->rank == s.failing_rank;
    if (s.fails != name || !is_here || s.after-- > 0)
        return false;
    if (comm != nullptr)
        comm->last = "the wire is cut";
    return true;
}

/// Numbers of all ranks, the last one's first.
template <class S>
void add_up(std::vector<content> const& all, void* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        S sum = 0;
        for (std::size_t q = all.size(); q-- > 0;) {
            S number;
            std::memcpy(&number, all[q]->data() + i * sizeof(S), sizeof(S));
            sum = q + 1 == all.size() ? number : sum + number;
        }
        std::memcpy(static_cast<unsigned char*>(to) + i * sizeof(S), &sum, sizeof(S));
    }
}
void deliver(post const& p) {
    request const& r = p.what;
    if (r.kind == request::sum)
        r.type == ncclDouble ? add_up<double>(*p.came, r.to, r.count) : add_up<float>(*p.came, r.to, r.count);
    else if (r.kind != request::send)
        std::memcpy(r.to, p.came->front()->data(), r.bytes());
}

void find_partner(clique& all, post const& p) {
    bool const sends = p.what.kind == request::send;
    auto& waiting = all.channels[sends ? std::pair(p.rank, p.what.peer) : std::pair(p.what.peer, p.rank)];
    if (waiting.empty() || waiting.front().what.kind == p.what.kind)
        return waiting.push_back(p);
    post other = waiting.front();
    waiting.pop_front();
    if (other.what.bytes() != p.what.bytes())
        stop({"rank ", p.rank, " has a message of ", p.what.bytes(), " bytes, and rank ", other.rank,
              " one of ", other.what.bytes(), ": they would wait for ever"});
    post receiver = sends ? other : p;
    receiver.take(sends ? p : other);
    p.has_partners();
    other.has_partners();
}
void meet(clique& all, long number, post const& p) {
    auto& posts = all.meetings[number];
    for (post const& other : posts)
        if (other.what.kind != p.what.kind || other.what.bytes() != p.what.bytes() ||
            (p.what.kind == request::broadcast && other.what.peer != p.what.peer))
            stop({"ranks ", p.rank, " and ", other.rank,
                  " ask for different things: they would wait for ever"});
    posts.push_back(p);
    if (posts.size() < static_cast<std::size_t>(all.size))
        return;
    std::ranges::sort(posts, {}, &post::rank);
    for (post& one : posts) {
        for (post const& other : posts)
            one.take(other);
        one.has_partners();
    }
    all.meetings.erase(number);
}

/// In the background: a group of one rank goes into the queue of its stream.
void enqueue_group(ncclComm& comm, std::vector<request> const& asked) {
    auto const of = std::make_shared<group>();
    of->gate->held = true;
    of->missing = asked.size();
    comm.groups.push_back(of);
    std::vector<post> posts;
    std::vector<host_device::range> read, written;
    for (request const& r : asked) {
        if (r.stream != asked.front().stream)
            stop({"a group of one rank uses two streams"});
        post p{r, comm.rank, of};
        if (r.kind == request::send || r.kind == request::sum ||
            (r.kind == request::broadcast && r.peer == comm.rank)) {
            p.sent = std::make_shared<std::vector<unsigned char>>(r.bytes());
            read.push_back(host_device::reads("what NCCL sends", r.from, r.bytes()));
        }
        if (r.kind != request::send)
            written.push_back(host_device::writes("what NCCL receives", r.to, r.bytes()));
        posts.push_back(std::move(p));
    }
    CUstream_st& stream = host_device::stream_of(asked.front().stream);
    auto const reader =
        host_device::push(stream, {"what NCCL sends", read, [posts] {
                                       for (post const& p : posts)
                                           if (p.sent && !p.sent->empty())
                                               std::memcpy(p.sent->data(), p.what.from, p.sent->size());
                                   }});
    host_device::push(stream,
                      {"what NCCL receives", written,
                       [posts] {
                           for (post const& p : posts)
                               if (!p.of->is_aborted && p.what.count > 0)
                                   deliver(p);
                       }},
                      {of->gate});
    if (control().silent_rank == comm.rank)
        return;
    for (post& p : posts) {
        p.reader = reader;
        if (p.what.kind == request::send || p.what.kind == request::receive)
            find_partner(*comm.all, p);
        else
            meet(*comm.all, comm.meetings++, p);
    }
    comm.breaks = control().broken_rank == comm.rank && control().groups_to_break-- <= 0;
}

ncclResult_t ask(request const& r, char const* name) {
    if (fails(name, r.comm))
        return ncclUnhandledCudaError;
    host_device::require_stream(r.stream);
    if (r.comm->is_finalised || r.peer < 0 || r.peer >= r.comm->all->size)
        return ncclInvalidUsage;
    requests.push_back(r);
    if (depth > 0)
        return ncclSuccess;
    r.comm->begun.push_back(std::exchange(requests, {}));
    r.comm->asked = 0;
    return ncclInProgress;
}

} // namespace

ncclResult_t ncclGetVersion(int* version) {
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    entry const e("ncclGetUniqueId");
    if (fails("ncclGetUniqueId", nullptr))
        return ncclSystemError;
    static long last = 0;
    std::memset(id->internal, 0, sizeof id->internal);
    std::memcpy(id->internal, &++last, sizeof last);
    return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
    entry const e("ncclCommInitRankConfig");
    ncclConfig_t const plain = NCCL_CONFIG_INITIALIZER;
    if (config == nullptr || config->magic != plain.magic || rank < 0 || rank >= size)
        return ncclInvalidArgument;
    if (config->blocking != 0)
        stop({"only communicators that do not block are part of this NCCL"});
    long number = 0;
    std::memcpy(&number, id.internal, sizeof number);
    auto& all = cliques()[number];
    if (!all) {
        all = std::make_shared<clique>();
        all->size = size;
    }
    auto* const made = new ncclComm{all, rank};
    ++living;
    *comm = made;
    if (fails("ncclCommInitRankConfig", made))
        return ncclInvalidUsage;
    if (control().silent_rank != rank)
        ++all->joined;
    return ncclInProgress;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
    entry const e("ncclCommGetAsyncError");
    if (fails("ncclCommGetAsyncError", comm))
        return ncclInternalError;
    bool const is_there = ++comm->asked > 2;
    if (is_there)
        for (auto const& asked : std::exchange(comm->begun, {}))
            enqueue_group(*comm, asked);
    bool const all_there =
        comm->is_finalised ? comm->all->finalised == comm->all->size : comm->all->joined == comm->all->size;
    bool const is_broken = comm->breaks && comm->asked > 5;
    if (is_broken)
        comm->last = "the wire is cut";
    *error = is_broken                                        ? ncclSystemError
             : comm->all->has_lost && control().tells_of_ends ? ncclRemoteError
             : is_there && all_there                          ? ncclSuccess
                                                              : ncclInProgress;
    return ncclSuccess;
}

char const* ncclGetErrorString(ncclResult_t result) {
    switch (result) {
    case ncclSuccess:
        return "no error";
    case ncclUnhandledCudaError:
        return "unhandled cuda error";
    case ncclSystemError:
        return "unhandled system error";
    case ncclInternalError:
        return "internal error";
    case ncclInvalidArgument:
        return "invalid argument";
    case ncclInvalidUsage:
        return "invalid usage";
    case ncclRemoteError:
        return "remote process exited or there was a network error";
    case ncclInProgress:
        return "NCCL operation in progress";
    default:
        return "unknown result code";
    }
}
char const* ncclGetLastError(ncclComm_t comm) {
    return comm == nullptr ? "" : comm->last.c_str();
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) {
    entry const e("ncclCommFinalize");
    if (!comm->begun.empty())
        stop({"a communicator is finalised before what it was asked for has begun"});
    comm->is_finalised = true;
    comm->asked = 0;
    ++comm->all->finalised;
    return ncclInProgress;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    entry const e("ncclCommDestroy");
    if (!comm->is_finalised || comm->all->finalised != comm->all->size)
        stop({"a communicator is destroyed that is not finalised by all"});
    for (auto const& g : comm->groups)
        if (g->missing > 0)
            stop({"a communicator is destroyed that waits for others"});
    delete comm;
    --living;
    return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
    entry const e("ncclCommAbort");
    comm->all->has_lost = true;
    auto const is_its = [&](post const& p) { return p.rank == comm->rank; };
    for (auto& [ends, waiting] : comm->all->channels)
        std::erase_if(waiting, is_its);
    for (auto& [number, posts] : comm->all->meetings)
        std::erase_if(posts, is_its);
    for (auto const& g : comm->groups)
        if (g->missing > 0) {
            g->is_aborted = true;
            g->gate->held = false;
        }
    delete comm;
    --living;
    return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
    entry const e("ncclGroupStart");
    if (fails("ncclGroupStart", nullptr))
        return ncclInternalError;
    ++depth;
    return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
    entry const e("ncclGroupEnd");
    if (depth == 0)
        return ncclInvalidUsage;
    if (--depth > 0 || requests.empty())
        return ncclSuccess;
    auto const asked = std::exchange(requests, {});
    ncclComm_t const comm = asked.front().comm;
    if (fails("ncclGroupEnd", comm))
        return ncclInternalError;
    comm->begun.push_back(asked);
    comm->asked = 0;
    return ncclInProgress;
}

ncclResult_t ncclSend(void const* from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
    entry const e("ncclSend");
    return ask({request::send, comm, stream, from, nullptr, count, type, peer}, "ncclSend");
}
ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
    entry const e("ncclRecv");
    return ask({request::receive, comm, stream, nullptr, to, count, type, peer}, "ncclRecv");
}
ncclResult_t ncclAllReduce(void const* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t what,
                           ncclComm_t comm, cudaStream_t stream) {
    entry const e("ncclAllReduce");
    if (what != ncclSum || (type != ncclFloat && type != ncclDouble))
        stop({"only sums of float and double are part of this NCCL"});
    return ask({request::sum, comm, stream, from, to, count, type, 0}, "ncclAllReduce");
}
ncclResult_t ncclBroadcast(void const* from, void* to, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream) {
    entry const e("ncclBroadcast");
    return ask({request::broadcast, comm, stream, from, to, count, type, root}, "ncclBroadcast");
}
