// SPDX-License-Identifier: BSL-1.0
// The device of the host: nothing happens before it is waited for, and then only what is waited for.
#include "host.hpp"
#include <cmath>

using namespace device_test;

namespace {

struct event {
    cudaEvent_t it = nullptr;
    event() { REQUIRE(cudaEventCreateWithFlags(&it, cudaEventDisableTiming) == cudaSuccess); }
    ~event() { cudaEventDestroy(it); }
    event(event const&) = delete;
    event& operator=(event const&) = delete;
    operator cudaEvent_t() const { return it; }
};

void upload(block<float> const& to, std::vector<float> const& numbers, cudaStream_t s) {
    CHECK(cudaMemcpyAsync(to.data(), numbers.data(), to.bytes(), cudaMemcpyHostToDevice, s) == cudaSuccess);
}
void download(block<float> const& from, std::vector<float>& numbers, cudaStream_t s) {
    CHECK(cudaMemcpyAsync(numbers.data(), from.data(), from.bytes(), cudaMemcpyDeviceToHost, s) ==
          cudaSuccess);
}

} // namespace

TEST_CASE("host order: a result is there behind the wait, and not in front of it") {
    mode const late;
    stream const s;
    block<float> const a(count_up(5));
    std::vector<float> b(5, 0.0f);
    download(a, b, s);
    CHECK(std::isnan(b[0]));
    s.wait();
    CHECK(b == count_up(5));
}

TEST_CASE("host order: streams know of each other by events only") {
    mode const late;
    stream const s, other;
    event const done;
    block<float> const a(5), c(5);
    auto const numbers = count_up(5);
    std::vector<float> b(5);
    upload(a, numbers, s);
    download(a, b, other);
    other.wait();
    CHECK(std::isnan(b[4]));
    s.wait();

    upload(c, numbers, s);
    CHECK(cudaEventRecord(done, s) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(other, done, 0) == cudaSuccess);
    download(c, b, other);
    other.wait();
    CHECK(b == numbers);
    s.wait();
}

TEST_CASE("host order: the legacy stream is ordered with streams that block") {
    mode const late;
    stream const blocking(cudaStreamDefault);
    block<float> const a(5);
    auto const numbers = count_up(5);
    std::vector<float> b(5);
    upload(a, numbers, blocking);
    CHECK(cudaMemcpy(b.data(), a.data(), a.bytes(), cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(b == numbers);
    CHECK(cudaMemset(a.data(), 0, a.bytes()) == cudaSuccess);
    download(a, b, blocking);
    blocking.wait();
    CHECK(b == std::vector<float>(5, 0.0f));
}

TEST_CASE("host order: who asks whether it is done brings it forward by one operation") {
    mode const late;
    stream const s;
    event const done;
    block<float> const a(5);
    for (int i = 0; i < 3; ++i)
        cudaMemsetAsync(a.data(), i, a.bytes(), s);
    CHECK(cudaEventRecord(done, s) == cudaSuccess);
    int asked = 0;
    while (cudaEventQuery(done) == cudaErrorNotReady)
        ++asked;
    CHECK(asked == 4);
    CHECK(cudaStreamQuery(s) == cudaSuccess);
    CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("host order: a copy's source keeps its numbers until the copy") {
    mode const late;
    CHECK(last_words([] {
              stream const s;
              block<float> const a(5);
              auto numbers = count_up(5);
              upload(a, numbers, s);
              numbers[2] = 0;
              s.wait();
          }) == says("have changed between the call and the copy"));
}

TEST_CASE("host order: a random order keeps what is ordered, and shows what is not") {
    host_device::changed_settings const with;
    bool differed = false;
    for (with->order = 1; with->order < 40; ++with->order) {
        stream const s, other;
        event const first, second;
        block<float> const a(5);
        auto const numbers = count_up(5);
        std::vector<float> b(5);
        upload(a, numbers, s);
        cudaEventRecord(first, s);
        cudaStreamWaitEvent(other, first, 0);
        cudaMemsetAsync(a.data(), 0, 8, other);
        cudaEventRecord(second, other);
        cudaStreamWaitEvent(s, second, 0);
        download(a, b, s);
        s.wait();
        CHECK(b == std::vector<float>{0, 0, 3, 4, 5});

        cudaMemsetAsync(a.data(), 0, 20, s);
        upload(a, numbers, other);
        cudaDeviceSynchronize();
        differed = differed || a.numbers() != numbers;
    }
    CHECK(differed);
}

TEST_CASE("host order: streams and events that are no more are not used") {
    cudaStream_t s = nullptr;
    cudaEvent_t e = nullptr;
    REQUIRE(cudaStreamCreate(&s) == cudaSuccess);
    REQUIRE(cudaEventCreate(&e) == cudaSuccess);
    REQUIRE(cudaStreamDestroy(s) == cudaSuccess);
    REQUIRE(cudaEventDestroy(e) == cudaSuccess);
    CHECK(last_words([&] { cudaStreamSynchronize(s); }) == says("a handle to a destroyed stream"));
    CHECK(last_words([&] { cudaEventSynchronize(e); }) == says("a handle to a destroyed event"));
}

// Graphs
// --------------------------------------------------------------------------------------------------------

TEST_CASE("host order: a graph does at each launch what was captured, in two streams") {
    stream const s, other;
    event const fork, join;
    block<float> const a(count_up(4)), b(4), c(4);
    REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    cudaEventRecord(fork, s);
    cudaStreamWaitEvent(other, fork, 0);
    CHECK(cudaMemcpyAsync(b.data(), a.data(), 16, cudaMemcpyDeviceToDevice, other) == cudaSuccess);
    CHECK(cudaMemsetAsync(c.data(), 0, 16, s) == cudaSuccess);
    cudaEventRecord(join, other);
    cudaStreamWaitEvent(s, join, 0);
    CHECK(cudaMemcpyAsync(c.data(), b.data(), 8, cudaMemcpyDeviceToDevice, s) == cudaSuccess);
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamEndCapture(s, &graph) == cudaSuccess);
    CHECK(std::isnan(c.numbers()[0]));
    std::size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess);
    CHECK(nodes == 3);

    cudaGraphExec_t run = nullptr;
    REQUIRE(cudaGraphInstantiate(&run, graph, 0) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    CHECK(cudaGraphLaunch(run, s) == cudaSuccess);
    s.wait();
    CHECK(c.numbers() == std::vector<float>{1, 2, 0, 0});
    cudaMemset(a.data(), 0, 4);
    cudaDeviceSynchronize();
    CHECK(cudaGraphLaunch(run, s) == cudaSuccess);
    s.wait();
    CHECK(c.numbers() == std::vector<float>{0, 2, 0, 0});

    // Another of the same shape takes its place, one of another shape does not.
    for (bool const is_same : {true, false}) {
        REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed) == cudaSuccess);
        cudaMemsetAsync(c.data(), 0, 16, s);
        REQUIRE(cudaStreamEndCapture(s, &graph) == cudaSuccess);
        cudaGraphExec_t one = nullptr;
        REQUIRE(cudaGraphInstantiate(&one, graph, 0) == cudaSuccess);
        cudaGraphExecUpdateResultInfo info{};
        CHECK((cudaGraphExecUpdate(is_same ? one : run, graph, &info) == cudaSuccess) == is_same);
        CHECK((info.result == cudaGraphExecUpdateSuccess) == is_same);
        cudaGraphExecDestroy(one);
        cudaGraphDestroy(graph);
    }
    cudaGetLastError();
    CHECK(cudaGraphExecDestroy(run) == cudaSuccess);
    CHECK(last_words([&] { cudaGraphLaunch(run, s); }) == says("destroyed executable graph"));
}

TEST_CASE("host order: a capture ends where something is done that cannot be captured") {
    stream const s, other;
    event const fork;
    cudaGraph_t graph = nullptr;
    auto const begin = [&] {
        REQUIRE(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal) == cudaSuccess);
    };
    auto const is_lost = [&] { return cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated; };

    begin();
    void* p = nullptr;
    CHECK(cudaMalloc(&p, 4) == cudaErrorStreamCaptureUnsupported);
    CHECK(is_lost());
    begin();
    CHECK(cudaStreamSynchronize(s) == cudaErrorStreamCaptureUnsupported);
    CHECK(is_lost());
    begin();
    CHECK(cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported);
    CHECK(is_lost());

    block<float> const a(4);
    begin();
    cudaEventRecord(fork, s);
    cudaStreamWaitEvent(other, fork, 0);
    cudaMemsetAsync(a.data(), 0, 16, other);
    CHECK(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureUnjoined);
    CHECK(cudaStreamEndCapture(s, &graph) == cudaErrorIllegalState);
    CHECK(graph == nullptr);

    stream const blocking(cudaStreamDefault);
    REQUIRE(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    CHECK(cudaMemset(a.data(), 0, 16) == cudaErrorStreamCaptureImplicit);
    CHECK(cudaStreamEndCapture(blocking, &graph) == cudaErrorStreamCaptureInvalidated);
    cudaGetLastError();
}
