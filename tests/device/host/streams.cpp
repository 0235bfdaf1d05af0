// SPDX-License-Identifier: BSL-1.0
// Streams and events.
#include "work.hpp"
#include <algorithm>

using namespace host_device;

namespace {

cudaError_t make_stream(cudaStream_t* stream, unsigned flags) {
    if (cudaError_t const error = device_state(); error != cudaSuccess)
        return error;
    if (stream == nullptr || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking))
        return cudaErrorInvalidValue;
    CUstream_st made;
    made.blocking = flags == cudaStreamDefault;
    *stream = work().streams.make(std::move(made));
    return cudaSuccess;
}

} // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    entry const e("cudaStreamCreate");
    return report(make_stream(stream, cudaStreamDefault));
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    entry const e("cudaStreamCreateWithFlags");
    return report(make_stream(stream, flags));
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
    entry const e("cudaStreamCreateWithPriority");
    return report(make_stream(stream, flags));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    entry const e("cudaStreamDestroy");
    CUstream_st& s = stream_of(stream);
    if (&s == &work().legacy)
        return report(cudaErrorInvalidResourceHandle);
    if (s.capture != nullptr)
        stop({"the stream is being captured"});
    s.last = nullptr;
    work().streams.destroy(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    entry const e("cudaStreamSynchronize");
    CUstream_st& s = stream_of(stream);
    if (s.capture != nullptr)
        return report(lose(*s.capture, cudaErrorStreamCaptureUnsupported));
    finish(stream);
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
    entry const e("cudaDeviceSynchronize");
    if (cudaError_t const error = device_state(); error != cudaSuccess)
        return report(error);
    if (cudaError_t const error = refuse_in_capture(); error != cudaSuccess)
        return report(error);
    finish_all();
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    entry const e("cudaStreamQuery");
    CUstream_st& s = stream_of(stream);
    if (s.capture != nullptr)
        return report(lose(*s.capture, cudaErrorStreamCaptureUnsupported));
    for (auto const& last : tails(s))
        if (last != nullptr && !last->done) {
            run_one(last);
            return report(cudaErrorNotReady);
        }
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    entry const e("cudaStreamWaitEvent");
    CUstream_st& s = stream_of(stream);
    CUevent_st& what = work().events.at(event);
    if (what.capture != nullptr && !what.capture->open)
        return report(cudaErrorInvalidValue);
    if (what.capture != nullptr) {
        if (&s == &work().legacy)
            return report(lose(*what.capture, cudaErrorStreamCaptureImplicit));
        if (s.capture != nullptr && s.capture != what.capture) {
            lose(*s.capture, cudaErrorStreamCaptureMerge);
            return report(lose(*what.capture, cudaErrorStreamCaptureMerge));
        }
        s.capture = what.capture;
        s.capture->streams.insert(stream);
        for (std::size_t const node : what.nodes)
            if (std::find(s.nodes.begin(), s.nodes.end(), node) == s.nodes.end())
                s.nodes.push_back(node);
        return cudaSuccess;
    }
    if (s.capture != nullptr)
        return report(what.recorded ? lose(*s.capture, cudaErrorStreamCaptureIsolation) : cudaSuccess);
    if (what.at != nullptr && !what.at->done)
        push(s, {"wait for an event", {}, {}}, {what.at});
    return cudaSuccess;
}

// Events
// --------------------------------------------------------------------------------------------------------

namespace {

cudaError_t make_event(cudaEvent_t* event, unsigned flags) {
    if (cudaError_t const error = device_state(); error != cudaSuccess)
        return error;
    if (event == nullptr || (flags & ~unsigned(cudaEventBlockingSync | cudaEventDisableTiming)) != 0)
        return cudaErrorInvalidValue;
    CUevent_st made;
    made.timed = (flags & cudaEventDisableTiming) == 0;
    *event = work().events.make(std::move(made));
    return cudaSuccess;
}

} // namespace

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    entry const e("cudaEventCreate");
    return report(make_event(event, cudaEventDefault));
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    entry const e("cudaEventCreateWithFlags");
    return report(make_event(event, flags));
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    entry const e("cudaEventDestroy");
    work().events.at(event).at = nullptr;
    work().events.destroy(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    entry const e("cudaEventRecord");
    CUevent_st& what = work().events.at(event);
    CUstream_st& s = stream_of(stream);
    if (s.capture != nullptr) {
        if (s.capture->lost)
            return report(cudaErrorStreamCaptureInvalidated);
        what.capture = s.capture;
        what.nodes = s.nodes;
        what.recorded = true;
        return cudaSuccess;
    }
    if (&s == &work().legacy)
        for (CUstream_st* const other : blocking_streams())
            if (other->capture != nullptr)
                return report(lose(*other->capture, cudaErrorStreamCaptureImplicit));
    what.capture = nullptr;
    what.recorded = true;
    auto const time = std::make_shared<std::chrono::steady_clock::time_point>();
    what.time = time;
    what.at = push(s, {"event", {}, [time] { *time = std::chrono::steady_clock::now(); }});
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    entry const e("cudaEventSynchronize");
    CUevent_st& what = work().events.at(event);
    if (what.capture != nullptr)
        return report(lose(*what.capture, cudaErrorCapturedEvent));
    run_until({what.at});
    return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    entry const e("cudaEventQuery");
    CUevent_st& what = work().events.at(event);
    if (what.capture != nullptr)
        return report(lose(*what.capture, cudaErrorCapturedEvent));
    if (what.at == nullptr || what.at->done)
        return cudaSuccess;
    run_one(what.at);
    return report(cudaErrorNotReady);
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
    entry const e("cudaEventElapsedTime");
    CUevent_st const &a = work().events.at(from), &b = work().events.at(to);
    if (milliseconds == nullptr)
        return report(cudaErrorInvalidValue);
    if (!a.timed || !b.timed || a.at == nullptr || b.at == nullptr)
        return report(cudaErrorInvalidResourceHandle);
    if (!a.at->done || !b.at->done)
        return report(cudaErrorNotReady);
    *milliseconds = std::chrono::duration<float, std::milli>(*b.time - *a.time).count();
    return cudaSuccess;
}
