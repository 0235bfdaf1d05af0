// SPDX-License-Identifier: BSL-1.0
// Which plans a runner makes, keeps and falls back to. tests/cudnn/rnn_network.cpp compares what it computes.
#include <sluice/cudnn/rnn/rnn_runner.hpp>

#include <device/host/controls.hpp>
#include <device/host/cudnn_controls.hpp>
#include <doctest/doctest.h>
#include <sluice/cudnn/rnn/rnn_memory.hpp>
#include <thread>

namespace rnn_runner_test {

using namespace sluice::cudnn;

rnn_request request_of(std::size_t steps, algorithm asked = algorithm::standard) {
    return {.shape = {.mode = rnn_mode::gru, .layers = 1, .input = 2, .units = 3, .projection = 3},
            .options = {.algorithm = asked},
            .steps = steps,
            .batch = 2};
}

/// Memory of zeros for any of these requests, and the runner of this thread.
struct place {
    std::shared_ptr<rnn_runner> runner = std::make_shared<rnn_runner>(queue::of_this_thread());
    device_arrays arrays{}, reserve{};
    rnn_pass pass{};

    explicit place(std::size_t most_steps) {
        rnn_request const r = request_of(most_steps);
        std::size_t const bytes = 1 << 14, weights = arrays.add(layout_of(r.shape).size * 4),
                          x = arrays.add(most_steps * 16), y = arrays.add(most_steps * 24),
                          h = arrays.add(24), h_end = arrays.add(24), all = arrays.add(0);
        REQUIRE(most_steps * 256 < bytes);
        arrays.allocate(runner->work());
        reserve.add(bytes);
        reserve.allocate(runner->work());
        runner->work()->submit(clear_command{arrays.at(0), all, all, 1});
        pass = {.weights = arrays.at(weights),
                .x = arrays.at(x),
                .y = arrays.at(y),
                .h = arrays.at(h),
                .h_end = arrays.at(h_end),
                .c = nullptr,
                .c_end = nullptr};
    }
    algorithm run(rnn_request const& r) {
        queue::lock const mine(*runner->work());
        return runner->forward(r, pass, 0, [&](std::size_t) { return reserve.at(0); }).algorithm();
    }
    void check(std::size_t made, std::size_t found) const {
        CHECK(runner->plans().made == made);
        CHECK(runner->plans().found == found);
    }
};

TEST_CASE("rnn runner: a thread has one, in its queue, as long as somebody holds it") {
    auto const mine = rnn_runner::of_this_thread();
    CHECK(rnn_runner::of_this_thread() == mine);
    CHECK(mine->work() == queue::of_this_thread());
    std::thread([&] { CHECK(rnn_runner::of_this_thread() != mine); }).join();
}

TEST_CASE("rnn runner: a plan is made once for a request, and 32 are kept, the last used first") {
    place p(40);
    p.run(request_of(1));
    p.run(request_of(1));
    p.check(1, 1);
    rnn_request in_training = request_of(1);
    in_training.training = true;
    p.run(in_training);
    p.check(2, 1);
    for (std::size_t steps = 2; steps <= 31; ++steps)
        p.run(request_of(steps));
    p.check(32, 1);
    p.run(request_of(1)); // now the one in training waits longest
    p.check(32, 2);
    p.run(request_of(32));
    p.run(request_of(1));
    p.check(33, 3);
    p.run(in_training);
    p.check(34, 3);
    p.runner->work()->wait();
}

TEST_CASE("rnn runner: what cuDNN does not support is run by the algorithm that runs everything") {
    place p(4);
    CHECK(p.run(request_of(2, algorithm::persist_dynamic)) == algorithm::persist_dynamic);
    host_device::fail_cudnn("cudnnGetRNNTempSpaceSizes", CUDNN_STATUS_NOT_SUPPORTED);
    CHECK(p.run(request_of(3, algorithm::persist_dynamic)) == algorithm::standard);
    CHECK(p.run(request_of(3, algorithm::persist_dynamic)) == algorithm::standard); // is kept
    p.check(2, 1);
    host_device::fail_cudnn("cudnnRNNForward", CUDNN_STATUS_NOT_SUPPORTED); // it says so late
    CHECK(p.run(request_of(2, algorithm::persist_dynamic)) == algorithm::standard);
    CHECK(p.run(request_of(2, algorithm::persist_dynamic)) == algorithm::standard);
    host_device::fail_cudnn("cudnnRNNForward", CUDNN_STATUS_NOT_SUPPORTED);
    CHECK_THROWS_WITH_AS(
        p.run(request_of(1)),
        "sluice: cuDNN could not run 1 layer of GRU, input 2, units 3, of float, 1 steps, batch 2, in "
        "inference, algorithm standard: CUDNN_STATUS_NOT_SUPPORTED (3000)",
        not_supported);
    p.runner->work()->wait();
}

TEST_CASE("rnn runner: of several algorithms one is chosen by time, and stays") {
    place p(4);
    rnn_request const r = request_of(3, algorithm::timed);
    long const before = host_device::cudnn_calls("cudnnRNNForward");
    algorithm const chosen = p.run(r);
    CHECK((chosen == algorithm::persist_small || chosen == algorithm::standard));
    CHECK(host_device::cudnn_calls("cudnnRNNForward") ==
          before + 2 * 4 + 1); // each runs once, then three times
    CHECK(p.run(r) == chosen);
    CHECK(host_device::cudnn_calls("cudnnRNNForward") == before + 2 * 4 + 2);
    p.check(1, 1);
    p.runner->work()->wait();
}

TEST_CASE("rnn runner: where cuDNN has its weights is asked once for a shape") {
    place p(4);
    p.run(request_of(1));
    long const before = host_device::cudnn_calls("cudnnGetRNNWeightParams");
    p.run(request_of(2));
    CHECK(host_device::cudnn_calls("cudnnGetRNNWeightParams") == before);
    rnn_request other = request_of(2);
    other.shape.input = 1;
    p.run(other);
    CHECK(host_device::cudnn_calls("cudnnGetRNNWeightParams") ==
          before + 7); // two of each gate, and no projection
    p.runner->work()->wait();
}

} // namespace rnn_runner_test
