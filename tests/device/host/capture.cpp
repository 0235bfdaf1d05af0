// SPDX-License-Identifier: BSL-1.0
// Recording a stream into a graph, and graphs.
#include "work.hpp"
#include <algorithm>

namespace host_device {

cudaStreamCaptureMode& thread_capture_mode() {
    thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    return mode;
}

cudaError_t lose(recording& r, cudaError_t error) {
    r.lost = true;
    return error;
}

bool is_capturing(cudaStream_t stream) {
    return stream_of(stream).capture != nullptr;
}

cudaError_t refuse_in_capture() {
    if (thread_capture_mode() == cudaStreamCaptureModeRelaxed)
        return cudaSuccess;
    cudaError_t error = cudaSuccess;
    for (auto const& [s, own] : work().streams) {
        if (s->capture == nullptr || s->capture->mode == cudaStreamCaptureModeRelaxed)
            continue;
        bool const is_own = s->capture->thread == std::this_thread::get_id();
        bool const reaches = s->capture->mode == cudaStreamCaptureModeGlobal &&
                             thread_capture_mode() == cudaStreamCaptureModeGlobal;
        if (is_own || reaches)
            error = lose(*s->capture, cudaErrorStreamCaptureUnsupported);
    }
    return error;
}

cudaError_t enqueue(cudaStream_t stream, std::string name, std::vector<range> ranges,
                    std::function<void()> work_) {
    CUstream_st& s = stream_of(stream);
    task what{std::move(name), std::move(ranges), std::move(work_)};
    if (s.capture != nullptr) {
        if (s.capture->lost)
            return cudaErrorStreamCaptureInvalidated;
        for (range const& r : what.ranges)
            if (r.kind == range::host_read || r.kind == range::host_write)
                require_host(r.what, r.at, r.extent());
            else
                require_device(r.what, r.at, r.extent());
        s.capture->nodes.push_back({std::move(what), s.nodes});
        s.nodes = {s.capture->nodes.size() - 1};
        return cudaSuccess;
    }
    if (&s == &work().legacy)
        for (CUstream_st* const other : blocking_streams())
            if (other->capture != nullptr)
                return lose(*other->capture, cudaErrorStreamCaptureImplicit);
    push(s, std::move(what));
    return cudaSuccess;
}

namespace {

void forget(recording& r) {
    r.open = false;
    for (cudaStream_t const s : r.streams) {
        s->capture = nullptr;
        s->nodes.clear();
    }
}

/// Whether all nodes come before the end of the stream that began.
bool is_joined(recording const& r) {
    std::vector<bool> reached(r.nodes.size(), false);
    std::vector<std::size_t> todo = r.origin->nodes;
    while (!todo.empty()) {
        std::size_t const i = todo.back();
        todo.pop_back();
        if (reached[i])
            continue;
        reached[i] = true;
        todo.insert(todo.end(), r.nodes[i].after.begin(), r.nodes[i].after.end());
    }
    return std::find(reached.begin(), reached.end(), false) == reached.end();
}

std::string first_word(std::string const& s) {
    return s.substr(0, s.find(' '));
}

/// Whether one can take the place of the other in an executable graph.
bool is_same_shape(std::vector<graph_node> const& a, std::vector<graph_node> const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](graph_node const& p, graph_node const& q) {
        return p.after == q.after && first_word(p.what.name) == first_word(q.what.name);
    });
}

cudaError_t instantiate(cudaGraphExec_t* executable, cudaGraph_t graph) {
    if (executable == nullptr || graph == nullptr)
        return cudaErrorInvalidValue;
    *executable = work().executables.make(CUgraphExec_st{work().graphs.at(graph).nodes});
    return cudaSuccess;
}

} // namespace

} // namespace host_device

using namespace host_device;

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    entry const e("cudaThreadExchangeStreamCaptureMode");
    std::swap(*mode, thread_capture_mode());
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    entry const e("cudaStreamBeginCapture");
    CUstream_st& s = stream_of(stream);
    if (&s == &work().legacy)
        return report(cudaErrorStreamCaptureUnsupported);
    if (s.capture != nullptr)
        return report(cudaErrorIllegalState);
    s.capture = std::make_shared<recording>();
    s.capture->origin = stream;
    s.capture->mode = mode;
    s.capture->thread = std::this_thread::get_id();
    s.capture->streams.insert(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    entry const e("cudaStreamEndCapture");
    CUstream_st& s = stream_of(stream);
    if (graph == nullptr)
        return report(cudaErrorInvalidValue);
    *graph = nullptr;
    if (s.capture == nullptr)
        return report(cudaErrorIllegalState);
    auto const r = s.capture;
    if (r->origin != stream)
        return report(lose(*r, cudaErrorStreamCaptureUnmatched));
    if (r->mode != cudaStreamCaptureModeRelaxed && r->thread != std::this_thread::get_id())
        return report(cudaErrorStreamCaptureWrongThread);
    bool const joined = is_joined(*r);
    forget(*r);
    if (r->lost)
        return report(cudaErrorStreamCaptureInvalidated);
    if (!joined)
        return report(cudaErrorStreamCaptureUnjoined);
    *graph =
        work().graphs.make(CUgraph_st{std::make_shared<std::vector<graph_node> const>(std::move(r->nodes))});
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    entry const e("cudaStreamIsCapturing");
    auto const& r = stream_of(stream).capture;
    *status = r == nullptr ? cudaStreamCaptureStatusNone
              : r->lost    ? cudaStreamCaptureStatusInvalidated
                           : cudaStreamCaptureStatusActive;
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    entry const e("cudaGraphDestroy");
    work().graphs.at(graph).nodes = nullptr;
    work().graphs.destroy(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
    entry const e("cudaGraphGetNodes");
    if (nodes != nullptr)
        stop({"this device tells the number of nodes only"});
    *count = work().graphs.at(graph).nodes->size();
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
    entry const e("cudaGraphInstantiate");
    if (flags != 0 && flags != cudaGraphInstantiateFlagAutoFreeOnLaunch)
        stop({"flag ", flags, " is not part of this device"});
    return report(instantiate(executable, graph));
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
    return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
    entry const e("cudaGraphExecUpdate");
    auto& to = work().executables.at(executable);
    auto const& from = work().graphs.at(graph);
    bool const same = is_same_shape(*to.nodes, *from.nodes);
    if (info != nullptr) {
        *info = {};
        info->result = same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
    }
    if (!same)
        return report(cudaErrorGraphExecUpdateFailure);
    to.nodes = from.nodes;
    return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
    entry const e("cudaGraphUpload");
    work().executables.at(executable);
    stream_of(stream);
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
    entry const e("cudaGraphLaunch");
    graph_nodes const nodes = work().executables.at(executable).nodes;
    if (is_capturing(stream))
        stop({"graphs within graphs are not part of this device"});
    std::vector<std::vector<std::uint64_t>> hashes;
    for (graph_node const& n : *nodes)
        hashes.push_back(call_of(n.what));
    ++work().counted.graph_launches;
    return report(enqueue(stream, "graph", {}, [nodes, hashes] { run_nodes(*nodes, hashes); }));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    entry const e("cudaGraphExecDestroy");
    work().executables.at(executable).nodes = nullptr;
    work().executables.destroy(executable);
    return cudaSuccess;
}
