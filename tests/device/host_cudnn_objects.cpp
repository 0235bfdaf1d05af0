// SPDX-License-Identifier: BSL-1.0
// Handles and descriptors: what they are asked for, they were given.
#include "host/cudnn_controls.hpp"
#include "host_cudnn.hpp"

using namespace cudnn_host;

TEST_CASE("cuDNN on the host: handles and descriptors are counted") {
    long const before = host_device::cudnn_objects();
    {
        session const run(spec{});
        CHECK(host_device::cudnn_objects() == before + 6);
    }
    CHECK(host_device::cudnn_objects() == before);
}

TEST_CASE("cuDNN on the host: a handle has the stream that it was given") {
    session run(spec{});
    cudaStream_t found = nullptr;
    CHECK(cudnnGetStream(run.handle, &found) == CUDNN_STATUS_SUCCESS);
    CHECK(found == run.stream);
    CHECK(cudnnSetStream(run.handle, nullptr) == CUDNN_STATUS_SUCCESS);
    CHECK(cudnnGetStream(run.handle, &found) == CUDNN_STATUS_SUCCESS);
    CHECK(found == nullptr);
    CHECK(cudnnGetStream(nullptr, &found) == CUDNN_STATUS_BAD_PARAM);
    CHECK(cudnnSetStream(nullptr, run.stream) == CUDNN_STATUS_BAD_PARAM);
}

TEST_CASE("cuDNN on the host: an RNN descriptor says what it was set to, also after a refusal") {
    cudnnRNNDescriptor_t rnn = nullptr;
    cudnnDropoutDescriptor_t dropout = nullptr, found_dropout = nullptr;
    REQUIRE(cudnnCreateRNNDescriptor(&rnn) == CUDNN_STATUS_SUCCESS);
    REQUIRE(cudnnCreateDropoutDescriptor(&dropout) == CUDNN_STATUS_SUCCESS);
    cudnnRNNAlgo_t algorithm;
    cudnnRNNMode_t cell;
    cudnnRNNBiasMode_t bias;
    cudnnDirectionMode_t direction;
    cudnnRNNInputMode_t input;
    cudnnDataType_t type, math_type;
    cudnnMathType_t math;
    int inputs, units, projection, layers;
    unsigned flags;
    auto const get = [&] {
        return cudnnGetRNNDescriptor_v8(rnn, &algorithm, &cell, &bias, &direction, &input, &type, &math_type,
                                        &math, &inputs, &units, &projection, &layers, &found_dropout, &flags);
    };
    CHECK(get() == CUDNN_STATUS_NOT_INITIALIZED);
    auto const set = [&](int layers_now) {
        return cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_SINGLE_REC_BIAS,
                                        CUDNN_BIDIRECTIONAL, CUDNN_SKIP_INPUT, CUDNN_DATA_BFLOAT16,
                                        CUDNN_DATA_FLOAT, CUDNN_TENSOR_OP_MATH, 5, 6, 4, layers_now, dropout,
                                        1);
    };
    REQUIRE(set(3) == CUDNN_STATUS_SUCCESS);
    REQUIRE(set(0) == CUDNN_STATUS_BAD_PARAM);
    REQUIRE(get() == CUDNN_STATUS_SUCCESS);
    CHECK(std::vector{int(algorithm), int(cell), int(bias), int(direction), int(input), int(type),
                      int(math_type), int(math), inputs, units, projection, layers,
                      int(flags)} == std::vector{0, 2, 3, 1, 1, 9, 0, 1, 5, 6, 4, 3, 1});
    CHECK(found_dropout == dropout);
    cudnnDestroyRNNDescriptor(rnn);
    cudnnDestroyDropoutDescriptor(dropout);
}

TEST_CASE("cuDNN on the host: a dropout descriptor says what it was set to") {
    session run({.layers = 2, .dropout = 0.5f, .seed = 31});
    float rate = 0;
    void* states = nullptr;
    unsigned long long seed = 0;
    REQUIRE(cudnnGetDropoutDescriptor(run.dropout, run.handle, &rate, &states, &seed) ==
            CUDNN_STATUS_SUCCESS);
    CHECK(rate == 0.5f);
    CHECK(states == run.random_states->get());
    CHECK(seed == 31);
    CHECK(cudnnSetDropoutDescriptor(run.dropout, run.handle, 0.5f, states, run.random_states->bytes() - 1,
                                    31) == CUDNN_STATUS_BAD_PARAM);
    CHECK(cudnnSetDropoutDescriptor(run.dropout, nullptr, 0.5f, nullptr, 0, 31) == CUDNN_STATUS_BAD_PARAM);
    CHECK(cudnnSetDropoutDescriptor(run.dropout, run.handle, 0, nullptr, 0, 31) == CUDNN_STATUS_SUCCESS);
    CHECK(cudnnDropoutGetStatesSize(nullptr, nullptr) == CUDNN_STATUS_BAD_PARAM);
}

TEST_CASE("cuDNN on the host: dropout without states is refused when it is used") {
    spec const of{.layers = 2};
    session run(of);
    run.give(random_operands(of));
    REQUIRE(cudnnCreateDropoutDescriptor(&run.dropout) == CUDNN_STATUS_SUCCESS);
    REQUIRE(cudnnSetDropoutDescriptor(run.dropout, run.handle, 0.5f, nullptr, 0, 1) == CUDNN_STATUS_SUCCESS);
    REQUIRE(cudnnSetRNNDescriptor_v8(run.rnn, CUDNN_RNN_ALGO_STANDARD, of.cell, of.bias, CUDNN_UNIDIRECTIONAL,
                                     CUDNN_LINEAR_INPUT, of.type, CUDNN_DATA_DOUBLE, CUDNN_FMA_MATH,
                                     of.inputs, of.units, of.outputs, of.layers, run.dropout,
                                     1) == CUDNN_STATUS_SUCCESS);
    CHECK(run.forward(CUDNN_FWD_MODE_INFERENCE) == CUDNN_STATUS_SUCCESS);
    CHECK(run.forward(CUDNN_FWD_MODE_TRAINING) == CUDNN_STATUS_BAD_PARAM);
}
