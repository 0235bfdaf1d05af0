// SPDX-License-Identifier: BSL-1.0
// The status of calls with arguments that do not fit, and the text that goes with it.
#include "host/cudnn_controls.hpp"
#include "host_cudnn.hpp"
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <sluice/cells/gru.hpp>
#include <thread>

using namespace cudnn_host;

namespace {

std::string last_error() {
    char text[512] = "never written";
    cudnnGetLastErrorString(text, sizeof text);
    return text;
}

/// BAD_PARAM, with a text that has these words.
void refused(cudnnStatus_t status, std::string const& words) {
    CHECK(status == CUDNN_STATUS_BAD_PARAM);
    auto const text = last_error();
    CAPTURE(text);
    CAPTURE(words);
    CHECK(text.find(words) != std::string::npos);
}
void not_supported(cudnnStatus_t status) {
    CHECK(status == CUDNN_STATUS_NOT_SUPPORTED);
    CHECK(last_error().empty());
}

/// A value that the enumeration has not.
template <class Enumeration>
Enumeration numbered(int n) {
    return static_cast<Enumeration>(n);
}

/// A session that runs, with one thing changed.
struct changed {
    explicit changed(spec const& of = {}) : run(of) { run.give(random_operands(of)); }
    session run;
    cudnnStatus_t infer() { return run.forward(CUDNN_FWD_MODE_INFERENCE); }
    cudnnStatus_t train() { return run.forward(CUDNN_FWD_MODE_TRAINING); }

    void rnn(cudnnRNNAlgo_t algorithm, int inputs, unsigned flags = CUDNN_RNN_PADDED_IO_ENABLED) {
        auto const& of = run.of;
        REQUIRE(cudnnSetRNNDescriptor_v8(run.rnn, algorithm, of.cell, of.bias, CUDNN_UNIDIRECTIONAL,
                                         of.skip ? CUDNN_SKIP_INPUT : CUDNN_LINEAR_INPUT, of.type,
                                         CUDNN_DATA_FLOAT, CUDNN_FMA_MATH, inputs, of.units, of.outputs,
                                         of.layers, run.dropout, flags) == CUDNN_STATUS_SUCCESS);
    }
    void data(cudnnRNNDataDescriptor_t which, cudnnDataType_t type, int width, std::vector<int> lengths,
              int steps, cudnnRNNDataLayout_t layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED) {
        REQUIRE(cudnnSetRNNDataDescriptor(which, type, layout, steps, int(lengths.size()), width,
                                          lengths.data(), nullptr) == CUDNN_STATUS_SUCCESS);
    }
    void tensor(cudnnTensorDescriptor_t which, std::vector<int> const& extents,
                std::vector<int> const& strides, cudnnDataType_t type = CUDNN_DATA_FLOAT) {
        REQUIRE(cudnnSetTensorNdDescriptor(which, type, int(extents.size()), extents.data(),
                                           strides.data()) == CUDNN_STATUS_SUCCESS);
    }
};

spec const small{.type = CUDNN_DATA_FLOAT};
spec const lstm{.cell = CUDNN_LSTM, .layers = 2, .outputs = 2, .type = CUDNN_DATA_FLOAT};

} // namespace

TEST_CASE("cuDNN on the host: texts of errors") {
    CHECK(std::string(cudnnGetErrorString(CUDNN_STATUS_BAD_PARAM)) == "CUDNN_STATUS_BAD_PARAM");
    CHECK(std::string(cudnnGetErrorString(cudnnStatus_t(7))) == "CUDNN_UNKNOWN_STATUS");
    CHECK(cudnnGetVersion() == CUDNN_VERSION);

    CHECK(cudnnCreate(nullptr) == CUDNN_STATUS_BAD_PARAM);
    std::string elsewhere = "not asked";
    std::thread([&] { elsewhere = last_error(); }).join();
    CHECK(elsewhere.empty()); // each thread has its own
    session const fine(spec{});
    CHECK(last_error() == "cudnnCreate: the place for the handle is NULL"); // success does not clear it
    CHECK(last_error().empty());                                            // reading does
    CHECK(cudnnCreate(nullptr) == CUDNN_STATUS_BAD_PARAM);
    char few[8];
    cudnnGetLastErrorString(few, sizeof few);
    CHECK(std::string(few) == "cudnnCr");
}

TEST_CASE("cuDNN on the host: no device is NOT_INITIALIZED, and asked-for failures come when asked for") {
    {
        host_device::changed_settings now;
        now->driver = false;
        cudnnHandle_t handle = nullptr;
        CHECK(cudnnCreate(&handle) == CUDNN_STATUS_NOT_INITIALIZED);
        CHECK(handle == nullptr);
        CHECK(last_error().find("driver") != std::string::npos);
    }
    changed with(small);
    host_device::fail_cudnn("cudnnRNNForward", CUDNN_STATUS_EXECUTION_FAILED, 2);
    long const before = host_device::cudnn_calls("cudnnRNNForward");
    CHECK(with.infer() == CUDNN_STATUS_SUCCESS);
    CHECK(with.infer() == CUDNN_STATUS_EXECUTION_FAILED);
    CHECK(with.infer() == CUDNN_STATUS_SUCCESS);
    CHECK(host_device::cudnn_calls("cudnnRNNForward") == before + 3);
}

TEST_CASE("cuDNN on the host: sizes and places of weights refuse") {
    changed with(lstm);
    auto const& run = with.run;
    std::size_t bytes = 0;
    refused(cudnnGetRNNWeightSpaceSize(nullptr, run.rnn, &bytes), "handle");
    refused(cudnnGetRNNWeightSpaceSize(run.handle, run.rnn, nullptr), "NULL");
    auto const ask = [&](int pseudo_layer, int id) {
        return cudnnGetRNNWeightParams(run.handle, run.rnn, pseudo_layer, run.weight_bytes, run.dw->get(), id,
                                       nullptr, nullptr, nullptr, nullptr);
    };
    CHECK(ask(1, 8) == CUDNN_STATUS_SUCCESS);
    refused(ask(2, 0), "pseudo-layer 2 of 2");
    refused(ask(-1, 0), "pseudo-layer -1");
    refused(ask(0, 9), "linLayerID 9 is not within 0 and 8");
    refused(ask(0, -1), "linLayerID -1");
    refused(
        cudnnGetRNNTempSpaceSizes(run.handle, run.rnn, CUDNN_FWD_MODE_TRAINING, run.y_as, &bytes, nullptr),
        "width 2");
    refused(cudnnGetRNNTempSpaceSizes(run.handle, run.rnn, numbered<cudnnForwardMode_t>(2), run.x_as, &bytes,
                                      nullptr),
            "mode");
    refused(cudnnGetRNNTempSpaceSizes(run.handle, run.rnn, CUDNN_FWD_MODE_TRAINING, nullptr, &bytes, nullptr),
            "NULL");
    refused(cudnnBuildRNNDynamic(run.handle, run.rnn, 0), "batch size 0");
    CHECK(cudnnBuildRNNDynamic(run.handle, run.rnn, 4) == CUDNN_STATUS_SUCCESS); // nothing to build
    refused(cudnnRNNSetClip_v9(run.rnn, CUDNN_RNN_CLIP_MINMAX, 1, -1), "no interval");
    refused(cudnnRNNSetClip_v9(run.rnn, CUDNN_RNN_CLIP_MINMAX, NAN, 1), "no interval");
    not_supported(cudnnRNNSetClip_v9(run.rnn, CUDNN_RNN_CLIP_MINMAX, -1, 1));
}

TEST_CASE("cuDNN on the host: forward refuses data that does not fit the network") {
    refused(changed(small).run.forward(numbered<cudnnForwardMode_t>(2)), "mode numbered 2");
    auto const with = [](auto change, std::string const& words, spec const& of = small) {
        changed other(of);
        change(other);
        refused(other.infer(), words);
    };
    with([](changed& c) { c.run.handle = nullptr; }, "handle"); // leaks one: nothing else knows it
    with([](changed& c) { c.run.x_as = nullptr; }, "NULL");
    with([](changed& c) { c.data(c.run.x_as, CUDNN_DATA_FLOAT, 4, {4, 4, 4}, 4); }, "x has the width 4");
    with([](changed& c) { c.data(c.run.y_as, CUDNN_DATA_FLOAT, 6, {4, 4, 4}, 4); }, "y has the width 6");
    with([](changed& c) { c.data(c.run.x_as, CUDNN_DATA_HALF, 3, {4, 4, 4}, 4); }, "x is of half");
    with([](changed& c) { c.data(c.run.y_as, CUDNN_DATA_DOUBLE, 5, {4, 4, 4}, 4); }, "y of double");
    with([](changed& c) { c.data(c.run.y_as, CUDNN_DATA_FLOAT, 5, {4, 4, 4, 4}, 4); }, "y has 4 of 4");
    with([](changed& c) { c.data(c.run.y_as, CUDNN_DATA_FLOAT, 5, {4, 4, 4}, 5); }, "y has 5 of 3");
    with([](changed& c) { c.data(c.run.y_as, CUDNN_DATA_FLOAT, 5, {4, 3, 4}, 4); }, "single lengths differ");
    with(
        [](changed& c) {
            c.data(c.run.y_as, CUDNN_DATA_FLOAT, 5, {4, 4, 4}, 4, CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED);
        },
        "layout 0, y has 2");
    with([](changed& c) { c.rnn(CUDNN_RNN_ALGO_STANDARD, 3); }, "has to be hiddenSize 5",
         {.skip = true, .type = CUDNN_DATA_FLOAT});
    with([](changed& c) { c.rnn(CUDNN_RNN_ALGO_STANDARD, 3, CUDNN_RNN_PADDED_IO_DISABLED); }, "PADDED_IO",
         {.lengths = {4, 2, 3}, .type = CUDNN_DATA_FLOAT});

    changed full(small);
    full.rnn(CUDNN_RNN_ALGO_STANDARD, 3, CUDNN_RNN_PADDED_IO_DISABLED);
    CHECK(full.infer() == CUDNN_STATUS_SUCCESS);
}

TEST_CASE("cuDNN on the host: forward refuses descriptors of states, where states are given") {
    auto const with = [](auto change, std::string const& words) {
        changed other(lstm);
        change(other);
        refused(other.train(), words);
    };
    with([](changed& c) { c.run.h_as = nullptr; }, "hDesc is NULL");
    with([](changed& c) { c.run.c_as = nullptr; }, "cDesc is NULL");
    with([](changed& c) { c.tensor(c.run.h_as, {2, 3, 5}, {15, 5, 1}); }, "extents 2, 3, 2");
    with([](changed& c) { c.tensor(c.run.c_as, {2, 3, 2}, {6, 2, 1}); }, "extents 2, 3, 5");
    with([](changed& c) { c.tensor(c.run.h_as, {2, 3, 2}, {8, 2, 1}); }, "packed");
    with([](changed& c) { c.tensor(c.run.h_as, {6, 2}, {2, 1}); }, "hDesc");
    with([](changed& c) { c.tensor(c.run.h_as, {2, 3, 2}, {6, 2, 1}, CUDNN_DATA_HALF); }, "packed float");

    changed trailing(lstm);
    trailing.tensor(trailing.run.h_as, {2, 3, 2, 1, 1}, {6, 2, 1, 1, 1});
    CHECK(trailing.infer() == CUDNN_STATUS_SUCCESS);
    changed absent(lstm);
    auto& run = absent.run;
    auto const h = run.h_as, c = run.c_as;
    run.hx.reset(), run.hy.reset(), run.cx.reset(), run.cy.reset();
    run.h_as = run.c_as = nullptr;
    CHECK(absent.infer() == CUDNN_STATUS_SUCCESS);
    run.h_as = h, run.c_as = c;
    changed gru(small);
    auto const unused = gru.run.c_as;
    gru.run.c_as = nullptr;
    CHECK(gru.infer() == CUDNN_STATUS_SUCCESS); // it has no c
    gru.run.c_as = unused;
}

TEST_CASE("cuDNN on the host: forward refuses spaces that are too small") {
    auto const with = [](auto change, std::string const& words, bool training) {
        changed other(small);
        change(other.run);
        refused(training ? other.train() : other.infer(), words);
    };
    for (bool const training : {false, true}) {
        with([](session& s) { s.weight_bytes -= 4; }, "weight space", training);
        with([](session& s) { s.weights.reset(); }, "weight space", training);
        with([](session& s) { s.work_bytes = 1023; }, "work space", training);
        with([](session& s) { s.work.reset(); }, "work space", training);
    }
    with([](session& s) { s.reserve_bytes -= 1; }, "reserve space", true);
    with([](session& s) { s.reserve.reset(); }, "reserve space", true);
    changed larger(small);
    larger.run.weights.emplace(larger.run.weight_bytes + 64);
    larger.run.weight_bytes += 64;
    CHECK(larger.infer() == CUDNN_STATUS_SUCCESS);
}

TEST_CASE("cuDNN on the host: algorithms refuse what they cannot do") {
    auto const sizes = [](changed& c) {
        return cudnnGetRNNTempSpaceSizes(c.run.handle, c.run.rnn, CUDNN_FWD_MODE_TRAINING, c.run.x_as,
                                         nullptr, nullptr);
    };
    changed ragged({.lengths = {4, 2, 3}, .type = CUDNN_DATA_FLOAT});
    for (auto const algorithm : {CUDNN_RNN_ALGO_PERSIST_STATIC, CUDNN_RNN_ALGO_PERSIST_DYNAMIC,
                                 CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H}) {
        ragged.rnn(algorithm, 3);
        not_supported(sizes(ragged));
        not_supported(ragged.infer());
    }
    changed full(small);
    full.rnn(CUDNN_RNN_ALGO_PERSIST_STATIC, 3);
    not_supported(sizes(full));
    full.rnn(CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H, 3);
    CHECK(sizes(full) == CUDNN_STATUS_SUCCESS);
    CHECK(full.train() == CUDNN_STATUS_SUCCESS);
    full.rnn(CUDNN_RNN_ALGO_PERSIST_DYNAMIC, 3);
    CHECK(sizes(full) == CUDNN_STATUS_SUCCESS);
    refused(full.train(), "cudnnBuildRNNDynamic was not called for a batch of 3");
    CHECK(cudnnBuildRNNDynamic(full.run.handle, full.run.rnn, 3) == CUDNN_STATUS_SUCCESS);
    CHECK(full.train() == CUDNN_STATUS_SUCCESS);

    changed wide({.units = 130, .outputs = 130, .lengths = {1}, .steps = 1, .type = CUDNN_DATA_FLOAT});
    wide.rnn(CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H, 3);
    CHECK(wide.train() == CUDNN_STATUS_SUCCESS); // up to 192 forward, up to 128 backward
    not_supported(wide.run.backward_data());
    changed wider({.units = 193, .outputs = 193, .lengths = {1}, .steps = 1, .type = CUDNN_DATA_FLOAT});
    wider.rnn(CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H, 3);
    not_supported(sizes(wider));
    for (auto const cell : {CUDNN_RNN_RELU, CUDNN_LSTM, CUDNN_GRU}) {
        changed half({.cell = cell,
                      .inputs = 128,
                      .units = 256,
                      .outputs = 256,
                      .lengths = std::vector(8, 2),
                      .steps = 2,
                      .type = CUDNN_DATA_HALF});
        half.rnn(CUDNN_RNN_ALGO_PERSIST_STATIC, 128);
        CHECK(sizes(half) == (cell == CUDNN_GRU ? CUDNN_STATUS_NOT_SUPPORTED : CUDNN_STATUS_SUCCESS));
    }
}

TEST_CASE("cuDNN on the host: backward calls refuse as forward does, and only add") {
    changed with(lstm);
    REQUIRE(with.train() == CUDNN_STATUS_SUCCESS);
    auto& run = with.run;
    auto const bytes = run.reserve_bytes;
    run.reserve_bytes = 7;
    refused(run.backward_data(), "reserve space");
    refused(run.backward_weights(), "reserve space");
    run.reserve_bytes = bytes;
    auto const h = run.h_as;
    run.h_as = nullptr;
    refused(run.backward_data(), "hDesc");
    run.h_as = h;
    CHECK(run.backward_data() == CUDNN_STATUS_SUCCESS);
    not_supported(run.backward_weights(CUDNN_WGRAD_MODE_SET));
    refused(run.backward_weights(numbered<cudnnWgradMode_t>(2)), "mode numbered 2");
    run.weight_bytes -= 4;
    refused(run.backward_weights(), "weight space");
    run.weight_bytes += 4;
    CHECK(run.backward_weights() == CUDNN_STATUS_SUCCESS);
}
