// SPDX-License-Identifier: BSL-1.0
// For tests of the cuDNN of the host-made device: a network described in words, its calls made as a program
// makes them, and numbers for them.
#pragma once

#include "host/host_device.hpp"
#include "host/numbers.hpp"
#include <cstdint>
#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <doctest/doctest.h>
#include <optional>
#include <random>
#include <sluice/cells/lstm.hpp>
#include <string>
#include <vector>

namespace cudnn_host {

using numbers = std::vector<double>;

struct spec {
    cudnnRNNMode_t cell = CUDNN_GRU;
    int layers = 1;
    bool both = false; ///< directions
    cudnnRNNBiasMode_t bias = CUDNN_RNN_DOUBLE_BIAS;
    bool skip = false;
    int inputs = 3, units = 5, outputs = 5;
    std::vector<int> lengths = {4, 4, 4};
    int steps = 4;
    cudnnDataType_t type = CUDNN_DATA_DOUBLE;
    cudnnRNNDataLayout_t layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
    float dropout = 0;
    unsigned long long seed = 1;
    std::optional<double> fill = 0.0;
    bool states = true; ///< hx, cx, hy, cy and their gradients are given

    int batch() const { return int(lengths.size()); }
    int directions() const { return both ? 2 : 1; }
    int gates() const { return cell == CUDNN_LSTM ? 4 : cell == CUDNN_GRU ? 3 : 1; }
    int width_out() const { return directions() * outputs; }
    bool lstm() const { return cell == CUDNN_LSTM; }
    std::size_t states_of(int width) const { return std::size_t(layers * directions() * batch() * width); }
    /// Elements before the one of a time and sequence, of rows of a width.
    std::size_t at(int t, int b, int width) const {
        int row = t * batch() + b;
        if (layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED)
            row = b * steps + t;
        if (layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED) {
            row = b;
            for (int const n : lengths)
                row += std::min(n, t);
        }
        return std::size_t(row * width);
    }
    std::size_t rows() const {
        int all = steps * batch();
        if (layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED) {
            all = 0;
            for (int const n : lengths)
                all += n;
        }
        return std::size_t(all);
    }
    bool alive(int t, int b) const { return t < lengths[std::size_t(b)]; }
};

struct operands {
    numbers x, hx, cx, weights, dy, dhy, dcy;
};
struct results {
    numbers y, hy, cy, dx, dhx, dcx, dw;
};

/// Device memory that holds numbers of a type.
class memory {
public:
    explicit memory(std::size_t bytes) : bytes_(bytes) {
        if (bytes != 0)
            REQUIRE(cudaMalloc(&at_, bytes) == cudaSuccess);
    }
    memory(cudnnDataType_t type, numbers const& from) : memory(from.size() * bytes_of(type)) {
        std::vector<unsigned char> host(bytes_);
        for (std::size_t i = 0; i < from.size(); ++i)
            host_device::store(host.data(), as(type), i, from[i]);
        if (bytes_ != 0)
            REQUIRE(cudaMemcpy(at_, host.data(), bytes_, cudaMemcpyHostToDevice) == cudaSuccess);
    }
    ~memory() { cudaFree(at_); }
    memory(memory const&) = delete;
    memory& operator=(memory const&) = delete;

    numbers read(cudnnDataType_t type) const {
        std::vector<unsigned char> host(bytes_);
        if (bytes_ != 0)
            REQUIRE(cudaMemcpy(host.data(), at_, bytes_, cudaMemcpyDeviceToHost) == cudaSuccess);
        numbers all(bytes_ / bytes_of(type));
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = host_device::load(host.data(), as(type), i);
        return all;
    }
    void* get() const { return at_; }
    std::size_t bytes() const { return bytes_; }

    static cudaDataType_t as(cudnnDataType_t type) {
        return type == CUDNN_DATA_DOUBLE  ? CUDA_R_64F
               : type == CUDNN_DATA_FLOAT ? CUDA_R_32F
               : type == CUDNN_DATA_HALF  ? CUDA_R_16F
                                          : CUDA_R_16BF;
    }
    static std::size_t bytes_of(cudnnDataType_t type) { return host_device::bytes_of(as(type)); }

private:
    void* at_ = nullptr;
    std::size_t bytes_;
};

/// Handle and descriptors of a network, and its calls. Members are open: a test changes an argument and calls
/// again.
class session {
public:
    explicit session(spec of);
    ~session();
    session(session const&) = delete;
    session& operator=(session const&) = delete;

    numbers zeros(std::size_t count) const { return numbers(count, 0.0); }
    void give(operands const& from);
    cudnnStatus_t forward(cudnnForwardMode_t mode);
    cudnnStatus_t backward_data();
    cudnnStatus_t backward_weights(cudnnWgradMode_t mode = CUDNN_WGRAD_MODE_ADD);
    /// What came out so far.
    results read() const;

    spec of;
    cudaStream_t stream = nullptr;
    cudnnHandle_t handle = nullptr;
    cudnnRNNDescriptor_t rnn = nullptr;
    cudnnRNNDataDescriptor_t x_as = nullptr, y_as = nullptr;
    cudnnTensorDescriptor_t h_as = nullptr, c_as = nullptr;
    cudnnDropoutDescriptor_t dropout = nullptr;
    std::size_t weight_bytes = 0, work_bytes = 0, reserve_bytes = 0;
    std::optional<memory> x, hx, cx, weights, dy, dhy, dcy, y, hy, cy, dx, dhx, dcx, dw, work, reserve,
        random_states;

private:
    static void* at(std::optional<memory> const& m) { return m ? m->get() : nullptr; }
};

/// Numbers within -1 and 1, all different, of every operand.
operands random_operands(spec const& of, unsigned from = 1);

/// A whole training step.
results train(spec const& of, operands const& from);
/// A forward call for inference.
results infer(spec const& of, operands const& from);

/// The largest difference, or a large number where the sizes differ or a number is NaN.
double difference(numbers const& left, numbers const& right);

} // namespace cudnn_host
