// SPDX-License-Identifier: BSL-1.0
// Dropout between layers, and work that is put off.
#include "host_cudnn.hpp"
#include <algorithm>
#include <cmath>

using namespace cudnn_host;

namespace {

numbers forward(session& run) {
    REQUIRE(run.forward(CUDNN_FWD_MODE_TRAINING) == CUDNN_STATUS_SUCCESS);
    return run.read().y;
}

void reseed(session& run, unsigned long long seed) {
    REQUIRE(cudnnSetDropoutDescriptor(run.dropout, run.handle, run.of.dropout, run.random_states->get(),
                                      run.random_states->bytes(), seed) == CUDNN_STATUS_SUCCESS);
}

spec const dropping{.layers = 3, .both = true, .lengths = {4, 2, 3}, .dropout = 0.4f};

} // namespace

TEST_CASE("cuDNN on the host: dropout repeats with its seed and its states, and only with them") {
    session run(dropping);
    run.give(random_operands(dropping));
    auto const first = forward(run);
    auto const second = forward(run);
    CHECK(difference(first, second) > 0.01); // every call changes the states
    reseed(run, dropping.seed);
    CHECK(difference(forward(run), first) == 0);
    CHECK(difference(forward(run), second) == 0);
    reseed(run, 7);
    auto const other = forward(run);
    CHECK(difference(other, first) > 0.01);
    CHECK(difference(other, second) > 0.01);
}

TEST_CASE("cuDNN on the host: states that were saved go on where they were") {
    session run(dropping);
    run.give(random_operands(dropping));
    forward(run);
    std::vector<char> saved(run.random_states->bytes());
    REQUIRE(cudaMemcpy(saved.data(), run.random_states->get(), saved.size(), cudaMemcpyDeviceToHost) ==
            cudaSuccess);
    auto const then = forward(run);
    REQUIRE(cudaMemcpy(run.random_states->get(), saved.data(), saved.size(), cudaMemcpyHostToDevice) ==
            cudaSuccess);
    REQUIRE(cudnnRestoreDropoutDescriptor(run.dropout, run.handle, dropping.dropout, run.random_states->get(),
                                          saved.size(), 99) == CUDNN_STATUS_SUCCESS);
    CHECK(difference(forward(run), then) == 0);
}

TEST_CASE("cuDNN on the host: dropout is of training, and of what lies between layers") {
    auto const from = random_operands(dropping);
    spec none = dropping;
    none.dropout = 0;
    CHECK(difference(infer(dropping, from).y, infer(none, from).y) == 0);
    CHECK(difference(train(dropping, from).y, train(none, from).y) > 0.01);
    spec one = dropping;
    one.layers = 1;
    spec one_without = none;
    one_without.layers = 1;
    auto const single = random_operands(one);
    CHECK(difference(train(one, single).y, train(one_without, single).y) == 0);
}

TEST_CASE("cuDNN on the host: dropout scales what it keeps, at its rate") {
    // A second layer that adds its input to nothing: relu of x, all of it kept or 0.
    spec const of{.cell = CUDNN_RNN_RELU,
                  .layers = 2,
                  .bias = CUDNN_RNN_NO_BIAS,
                  .skip = true,
                  .inputs = 50,
                  .units = 50,
                  .outputs = 50,
                  .lengths = std::vector(20, 4),
                  .dropout = 0.25f,
                  .states = false};
    auto from = random_operands(of);
    std::fill(from.x.begin(), from.x.end(), 3.0);
    std::fill(from.weights.begin(), from.weights.end(), 0.0);
    for (std::size_t i = 0; i < 50; ++i)
        from.weights[2500 + i * 51] = 1; // W of the second layer is the identity
    auto const y = train(of, from).y;
    auto const kept = std::count_if(y.begin(), y.end(), [](double v) { return std::abs(v - 4) < 1e-12; });
    auto const gone = std::count(y.begin(), y.end(), 0.0);
    CHECK(std::size_t(kept + gone) == y.size());
    CHECK(std::abs(double(gone) / double(y.size()) - 0.25) < 0.03);
}

TEST_CASE("cuDNN on the host: gradients go the way that dropout left open") {
    spec const of{.cell = CUDNN_LSTM, .layers = 3, .both = true, .lengths = {4, 2}, .dropout = 0.3f};
    auto from = random_operands(of);
    auto const found = train(of, from);
    auto const total = [&] {
        auto const out = train(of, from); // the same seed, and so the same factors
        double sum = 0;
        for (int t = 0; t < of.steps; ++t)
            for (int b = 0; b < of.batch(); ++b)
                for (std::size_t i = 0; of.alive(t, b) && i < std::size_t(of.width_out()); ++i)
                    sum += out.y[of.at(t, b, of.width_out()) + i] * from.dy[of.at(t, b, of.width_out()) + i];
        for (std::size_t i = 0; i < out.hy.size(); ++i)
            sum += out.hy[i] * from.dhy[i] + out.cy[i] * from.dcy[i];
        return sum;
    };
    for (std::size_t i = 0; i < from.weights.size(); i += 37) {
        double const at = from.weights[i], h = 1e-5;
        from.weights[i] = at + h;
        double const above = total();
        from.weights[i] = at - h;
        double const slope = (above - total()) / (2 * h);
        from.weights[i] = at;
        CHECK(std::abs(slope - found.dw[i]) < 1e-7 * (1 + std::abs(slope)));
    }
}

TEST_CASE("cuDNN on the host: weights are read when the work is done, and descriptors when it is asked for") {
    spec const of{.lengths = {4, 2, 3}};
    auto const from = random_operands(of), later = random_operands(of, 2);
    session run(of);
    run.give(from);
    memory const weights(of.type, later.weights);
    REQUIRE(cudaMemcpyAsync(run.weights->get(), weights.get(), weights.bytes(), cudaMemcpyDeviceToDevice,
                            run.stream) == cudaSuccess);
    REQUIRE(run.forward(CUDNN_FWD_MODE_INFERENCE) == CUDNN_STATUS_SUCCESS);
    int const others[] = {1, 1, 1};
    for (auto const& [data, width] : {std::pair{run.x_as, 3}, {run.y_as, 5}})
        REQUIRE(cudnnSetRNNDataDescriptor(data, of.type, of.layout, 4, 3, width, others, nullptr) ==
                CUDNN_STATUS_SUCCESS);
    auto wanted = from;
    wanted.weights = later.weights;
    CHECK(difference(run.read().y, infer(of, wanted).y) == 0);
}

TEST_CASE("cuDNN on the host: what was not waited for has not happened, and the work space is lost") {
    host_device::changed_settings now;
    now->order = 0; // nothing runs before it must
    spec const of{};
    session run(of);
    run.give(random_operands(of));
    REQUIRE(cudaMemset(run.work->get(), 0, run.work_bytes) == cudaSuccess);
    cudaStream_t other = nullptr;
    REQUIRE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(run.forward(CUDNN_FWD_MODE_INFERENCE) == CUDNN_STATUS_SUCCESS);
    numbers early(of.rows() * 5);
    REQUIRE(cudaMemcpyAsync(early.data(), run.y->get(), run.y->bytes(), cudaMemcpyDeviceToHost, other) ==
            cudaSuccess);
    REQUIRE(cudaStreamSynchronize(other) == cudaSuccess);
    cudaStreamDestroy(other);
    CHECK(std::isnan(early[0]));
    CHECK(!std::isnan(run.read().y[0]));
    std::vector<float> work(run.work_bytes / sizeof(float));
    REQUIRE(cudaMemcpy(work.data(), run.work->get(), run.work_bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(std::all_of(work.begin(), work.end(), [](float v) { return std::isnan(v); }));
}

TEST_CASE("cuDNN on the host: a step that was captured runs again with what is there then") {
    session run(dropping);
    auto const from = random_operands(dropping);
    run.give(from);
    REQUIRE(cudaStreamSynchronize(run.stream) == cudaSuccess);
    REQUIRE(cudaStreamBeginCapture(run.stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    REQUIRE(run.forward(CUDNN_FWD_MODE_TRAINING) == CUDNN_STATUS_SUCCESS);
    REQUIRE(run.backward_data() == CUDNN_STATUS_SUCCESS);
    REQUIRE(run.backward_weights() == CUDNN_STATUS_SUCCESS);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t steps = nullptr;
    REQUIRE(cudaStreamEndCapture(run.stream, &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&steps, graph, 0) == cudaSuccess);
    CHECK(std::isnan(run.y->read(dropping.type)[0])); // captured is not run

    auto const wanted = train(dropping, from);
    REQUIRE(cudaGraphLaunch(steps, run.stream) == cudaSuccess);
    auto const first = run.read();
    CHECK(difference(first.y, wanted.y) == 0);
    CHECK(difference(first.dw, wanted.dw) == 0);
    REQUIRE(cudaGraphLaunch(steps, run.stream) == cudaSuccess);
    auto const second = run.read();
    CHECK(difference(second.y, first.y) > 0.01); // other factors of dropout
    reseed(run, dropping.seed);
    REQUIRE(cudaGraphLaunch(steps, run.stream) == cudaSuccess);
    CHECK(difference(run.read().y, first.y) == 0);
    cudaGraphExecDestroy(steps);
    cudaGraphDestroy(graph);
}
