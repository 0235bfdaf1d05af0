// SPDX-License-Identifier: BSL-1.0
// Where weights lie, and how large the spaces are. The numbers were measured with the real library.
#include "host_cudnn.hpp"

using namespace cudnn_host;

namespace {

struct place {
    long at; ///< in elements; -1: there is none
    std::vector<int> extents;
    bool operator==(place const&) const = default;
};

struct places {
    place matrix, bias;
};

places ask(session const& of, int pseudo_layer, int id) {
    cudnnTensorDescriptor_t m = nullptr, b = nullptr;
    REQUIRE(cudnnCreateTensorDescriptor(&m) == CUDNN_STATUS_SUCCESS);
    REQUIRE(cudnnCreateTensorDescriptor(&b) == CUDNN_STATUS_SUCCESS);
    void *m_at = &m, *b_at = &b;
    REQUIRE(cudnnGetRNNWeightParams(of.handle, of.rnn, pseudo_layer, of.weight_bytes, of.dw->get(), id, m,
                                    &m_at, b, &b_at) == CUDNN_STATUS_SUCCESS);
    auto const read = [&](cudnnTensorDescriptor_t tensor, void* at) {
        int dimensions = -1, extents[8], strides[8];
        cudnnDataType_t type;
        REQUIRE(cudnnGetTensorNdDescriptor(tensor, 8, &type, &dimensions, extents, strides) ==
                CUDNN_STATUS_SUCCESS);
        place found{-1, {extents, extents + dimensions}};
        if (at != nullptr) {
            found.at = (static_cast<char*>(at) - static_cast<char*>(of.dw->get())) /
                       long(memory::bytes_of(of.of.type));
            CHECK(type == of.of.type);
            CHECK(std::vector(strides, strides + 3) == std::vector{extents[1] * extents[2], extents[2], 1});
        }
        cudnnDestroyTensorDescriptor(tensor);
        return found;
    };
    return {read(m, m_at), read(b, b_at)};
}

place const none{-1, {}};

} // namespace

TEST_CASE("cuDNN on the host: the weights of one GRU layer lie as measured") {
    for (auto const type : {CUDNN_DATA_FLOAT, CUDNN_DATA_HALF, CUDNN_DATA_BFLOAT16, CUDNN_DATA_DOUBLE}) {
        session const gru({.type = type});
        CHECK(gru.weight_bytes == 150 * memory::bytes_of(type));
        long const matrices[] = {0, 15, 30, 45, 70, 95}, biases[] = {120, 125, 130, 135, 140, 145};
        for (int id = 0; id < 6; ++id) {
            auto const found = ask(gru, 0, id);
            CHECK(found.matrix == place{matrices[id], {1, 5, id < 3 ? 3 : 5}});
            CHECK(found.bias == place{biases[id], {1, 5, 1}});
        }
        CHECK(ask(gru, 0, 6).matrix == none);
        CHECK(ask(gru, 0, 6).bias == none);
    }
}

TEST_CASE("cuDNN on the host: the weights of a projected LSTM of two layers lie as measured") {
    session const lstm({.cell = CUDNN_LSTM, .layers = 2, .outputs = 2, .type = CUDNN_DATA_FLOAT});
    for (int gate = 0; gate < 4; ++gate) {
        CHECK(ask(lstm, 0, gate).matrix == place{15 * gate, {1, 5, 3}});
        CHECK(ask(lstm, 0, 4 + gate).matrix == place{60 + 10 * gate, {1, 5, 2}});
        CHECK(ask(lstm, 1, gate).matrix == place{110 + 10 * gate, {1, 5, 2}});
        CHECK(ask(lstm, 0, gate).bias == place{200 + 5 * gate, {1, 5, 1}});
        CHECK(ask(lstm, 0, 4 + gate).bias == place{220 + 5 * gate, {1, 5, 1}});
        CHECK(ask(lstm, 1, gate).bias == place{240 + 5 * gate, {1, 5, 1}});
    }
    CHECK(ask(lstm, 0, 8).matrix == place{100, {1, 2, 5}});
    CHECK(ask(lstm, 0, 8).bias == none);
    CHECK(lstm.weight_bytes == 280 * 4);
}

TEST_CASE("cuDNN on the host: directions are pseudo-layers, and the layer above reads both") {
    session const gru({.layers = 2, .both = true});
    std::size_t const first = 3 * (15 + 25), second = 3 * (50 + 25);
    CHECK(ask(gru, 1, 0).matrix.at == long(first));
    CHECK(ask(gru, 2, 1).matrix == place{long(2 * first + 50), {1, 5, 10}});
    CHECK(ask(gru, 3, 5).bias.at == long(2 * (first + second) + 4 * 30 - 5));
    CHECK(gru.weight_bytes == (2 * (first + second) + 4 * 30) * 8);
}

TEST_CASE("cuDNN on the host: what a network has not, has no place") {
    session const skip({.skip = true, .inputs = 5});
    CHECK(ask(skip, 0, 0).matrix == none);
    CHECK(ask(skip, 0, 0).bias == place{75, {1, 5, 1}});
    CHECK(ask(skip, 0, 3).matrix.at == 0);
    session const unbiased({.cell = CUDNN_RNN_TANH, .bias = CUDNN_RNN_NO_BIAS});
    CHECK(unbiased.weight_bytes == 40 * 8);
    CHECK(ask(unbiased, 0, 0).bias == none);
    CHECK(ask(unbiased, 0, 1).bias == none);
    session const input_bias({.cell = CUDNN_RNN_RELU, .bias = CUDNN_RNN_SINGLE_INP_BIAS});
    CHECK(ask(input_bias, 0, 0).bias.at == 40);
    CHECK(ask(input_bias, 0, 1).bias == none);
    session const state_bias({.cell = CUDNN_RNN_RELU, .bias = CUDNN_RNN_SINGLE_REC_BIAS});
    CHECK(ask(state_bias, 0, 0).bias == none);
    CHECK(ask(state_bias, 0, 1).bias.at == 40);
}

TEST_CASE("cuDNN on the host: inference needs no reserve space, and a work space of its own size") {
    session const gru(spec{});
    std::size_t work = 0, reserve = 1;
    CHECK(cudnnGetRNNTempSpaceSizes(gru.handle, gru.rnn, CUDNN_FWD_MODE_INFERENCE, gru.x_as, &work,
                                    &reserve) == CUDNN_STATUS_SUCCESS);
    CHECK(reserve == 0);
    CHECK(work < gru.work_bytes);
    CHECK(cudnnGetRNNTempSpaceSizes(gru.handle, gru.rnn, CUDNN_FWD_MODE_TRAINING, gru.x_as, nullptr,
                                    nullptr) == CUDNN_STATUS_SUCCESS);
}
