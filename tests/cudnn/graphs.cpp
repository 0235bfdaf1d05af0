// SPDX-License-Identifier: BSL-1.0
// When commands become a graph, which graph is launched again, and which is changed.
#include <sluice/cudnn/runtime/graphs.hpp>

#include <device/host/controls.hpp>
#include <doctest/doctest.h>
#include <string>

namespace graphs_test {

using sluice::cudnn::clear_command, sluice::cudnn::command_log, sluice::cudnn::copy_command;
using sluice::cudnn::device_error, sluice::cudnn::recorded_graphs;

/// Numbers of the device that commands write, and a stream.
class place {
public:
    explicit place(std::size_t count) : size_(count) {
        REQUIRE(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(int)) == cudaSuccess);
    }
    place(place const&) = delete;
    place& operator=(place const&) = delete;
    ~place() {
        (void)cudaStreamSynchronize(stream_.get());
        (void)cudaFree(data_);
    }
    sluice::cudnn::command_target target() const { return {stream_.get(), nullptr}; }
    int* at(std::size_t i) const { return data_ + i; }
    void put(std::vector<int> const& numbers) const {
        wait();
        REQUIRE(cudaMemcpy(data_, numbers.data(), numbers.size() * sizeof(int), cudaMemcpyHostToDevice) ==
                cudaSuccess);
    }
    std::vector<int> get() const {
        wait();
        std::vector<int> found(size_);
        REQUIRE(cudaMemcpy(found.data(), data_, size_ * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
        return found;
    }

private:
    std::size_t size_;
    int* data_ = nullptr;
    sluice::cudnn::unique_stream stream_{"a stream"};

    void wait() const { REQUIRE(cudaStreamSynchronize(stream_.get()) == cudaSuccess); }
};
copy_command copy(int const* from, int* to) {
    return {from, 0, to, 0, sizeof(int), 1};
}
clear_command clear(int* to) {
    return {to, sizeof(int), sizeof(int), 1};
}
/// Commands that clear the first number.
command_log clears(place const& p, std::size_t count) {
    command_log log;
    for (std::size_t i = 0; i < count; ++i)
        log.add(clear(p.at(0)));
    return log;
}
/// Copies the first number to the next `count` places, each from the one before it, and then clears the place
/// `hole`.
command_log spread(place const& p, std::size_t count, std::size_t hole) {
    command_log log;
    for (std::size_t i = 1; i <= count; ++i)
        log.add(copy(p.at(i - 1), p.at(i)));
    log.add(clear(p.at(hole)));
    return log;
}
/// What it does to 7 and numbers of -1.
std::vector<int> spread_by_hand(std::size_t size, std::size_t count, std::size_t hole) {
    std::vector<int> all(size, -1);
    std::fill_n(all.begin(), count + 1, 7);
    all[hole] = 0;
    return all;
}
std::vector<int> start(std::size_t size) {
    std::vector<int> all(size, -1);
    all[0] = 7;
    return all;
}
struct expected {
    std::size_t made, changed, launched;
};
void check(recorded_graphs const& graphs, expected const& e) {
    CHECK(graphs.so_far().made == e.made);
    CHECK(graphs.so_far().changed == e.changed);
    CHECK(graphs.so_far().launched == e.launched);
}

TEST_CASE("graphs: work is captured the second time, and the same bytes launch the same graph") {
    long const before = host_device::count().graphs;
    place const p(6);
    {
        recorded_graphs graphs;
        command_log const log = spread(p, 5, 2);
        for (expected const e : {expected{0, 0, 0}, {1, 0, 1}, {1, 0, 2}, {1, 0, 3}}) {
            p.put(start(6));
            graphs.run(log, p.target());
            check(graphs, e);
            CHECK(p.get() == spread_by_hand(6, 5, 2));
        }
        CHECK(host_device::count().graphs == before + 1);
        graphs.clear();
        CHECK(host_device::count().graphs == before);
        graphs.run(log, p.target()); // a shape that was seen
        check(graphs, {2, 0, 4});
    }
    CHECK(host_device::count().graphs == before);
}

TEST_CASE("graphs: a few commands are done one by one, however often") {
    place const p(4);
    recorded_graphs graphs;
    for (int time = 0; time < 4; ++time) {
        p.put(start(4));
        graphs.run(spread(p, 2, 1), p.target());
        CHECK(p.get() == spread_by_hand(4, 2, 1));
        graphs.run(command_log(), p.target());
    }
    check(graphs, {0, 0, 0});
    for (int time = 0; time < 2; ++time)
        graphs.run(spread(p, 3, 1), p.target());
    check(graphs, {1, 0, 1});
}

TEST_CASE("graphs: other addresses change the graph that waited longest, once there are four of the shape") {
    long const before = host_device::count().graphs;
    place const p(8);
    recorded_graphs graphs;
    auto const run = [&](std::size_t hole, expected const& e) {
        CAPTURE(hole);
        p.put(start(8));
        graphs.run(spread(p, 7, hole), p.target());
        CHECK(p.get() == spread_by_hand(8, 7, hole));
        check(graphs, e);
    };
    run(0, {0, 0, 0});
    for (std::size_t hole = 1; hole <= 4; ++hole)
        run(hole, {hole, 0, hole});
    run(1, {4, 0, 5}); // now 2 waits longest
    run(5, {4, 1, 6});
    run(1, {4, 1, 7});
    run(5, {4, 1, 8});
    run(2, {4, 2, 9}); // was changed into 5; now 3 is
    run(3, {4, 3, 10});
    CHECK(host_device::count().graphs == before + 4);
}

TEST_CASE("graphs: where the device cannot change a graph, another takes its place") {
    long const before = host_device::count().graphs;
    place const p(8);
    recorded_graphs graphs;
    auto const log_of = [&](std::size_t from) {
        command_log log;
        for (std::size_t i = 0; i < 4; ++i)
            log.add(clear(p.at(from + i)));
        return log;
    };
    graphs.run(log_of(0), p.target());
    for (std::size_t from = 0; from < 4; ++from)
        graphs.run(log_of(from), p.target());
    check(graphs, {4, 0, 4});
    // Commands of that shape with fewer nodes: nothing is to be cleared there.
    command_log fewer;
    for (std::size_t i = 0; i < 4; ++i)
        fewer.add(clear_command{p.at(i), sizeof(int), i == 1 ? 0 : sizeof(int), 1});
    CHECK(fewer.shape() == log_of(0).shape());
    p.put(std::vector<int>(8, 3));
    graphs.run(fewer, p.target());
    CHECK(p.get() == std::vector{0, 3, 0, 0, 3, 3, 3, 3});
    check(graphs, {5, 0, 5});
    CHECK(host_device::count().graphs == before + 4);
    graphs.run(log_of(1), p.target()); // is still there
    check(graphs, {5, 0, 6});
    graphs.run(log_of(0), p.target()); // is not
    CHECK(graphs.so_far().made + graphs.so_far().changed == 6);
}

TEST_CASE("graphs: a command that fails is told as it is, and the stream goes on") {
    place const p(6);
    recorded_graphs graphs;
    command_log log = spread(p, 3, 1);
    log.add(clear_command{p.at(0), 1, 8, 2});
    long const before = host_device::count().graphs;
    for (int time = 0; time < 3; ++time) {
        CHECK_THROWS_WITH_AS(graphs.run(log, p.target()),
                             "sluice: CUDA could not clear 2 rows of 8 bytes on the device: invalid pitch "
                             "argument (cudaErrorInvalidPitchValue)",
                             device_error);
        check(graphs, {0, 0, 0});
        CHECK(host_device::count().graphs == before);
        CHECK(cudaGetLastError() == cudaSuccess);
        p.put(start(6));
        graphs.run(spread(p, 2, 0), p.target());
        CHECK(p.get() == spread_by_hand(6, 2, 0));
    }
}

TEST_CASE("graphs: of very many commands the graphs that were not used for longest make room") {
    host_device::changed_settings with;
    with->order = 0; // a random order of so many commands takes long to find
    place const p(1);
    recorded_graphs graphs;
    auto const run = [&](std::size_t count) { graphs.run(clears(p, count), p.target()); };
    for (int time = 0; time < 2; ++time)
        for (std::size_t const count : {30000u, 30001u})
            run(count);
    check(graphs, {2, 0, 2});
    run(5535);
    run(5535);
    check(graphs, {3, 0, 3}); // 65536 in all
    run(30000);
    check(graphs, {3, 0, 4});
    run(4);
    run(4);
    check(graphs, {4, 0, 5});
    run(30000);
    run(5535);
    check(graphs, {4, 0, 7});
    run(30001); // went when the last one came
    check(graphs, {5, 0, 8});
}

TEST_CASE("graphs: of the shapes that were asked for once 64 are remembered") {
    place const p(1);
    recorded_graphs graphs;
    auto const run = [&](std::size_t count) { graphs.run(clears(p, count), p.target()); };
    for (std::size_t count = 10; count < 10 + 65; ++count)
        run(count);
    run(10); // forgotten, and now in the place of the second
    check(graphs, {0, 0, 0});
    run(12);
    check(graphs, {1, 0, 1});
    run(11);
    check(graphs, {1, 0, 1});
}

} // namespace graphs_test
