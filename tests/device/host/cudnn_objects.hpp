// SPDX-License-Identifier: BSL-1.0
// What stands after cuDNN's handles and descriptors.
#pragma once

#include "cudnn_call.hpp"
#include "cudnn_network.hpp"
#include <cstddef>
#include <set>
#include <vector>

struct cudnnContext {
    cudaStream_t stream = nullptr;
};

struct cudnnTensorStruct {
    cudnnDataType_t type = CUDNN_DATA_FLOAT;
    std::vector<int> extents, strides; ///< empty: never set, or of what does not exist
};

struct cudnnDropoutStruct {
    bool set = false;
    float rate = 0;
    void* states = nullptr;
    std::size_t bytes = 0;
    unsigned long long seed = 0;
};

struct cudnnRNNDataStruct {
    bool set = false;
    cudnnDataType_t type = CUDNN_DATA_FLOAT;
    cudnnRNNDataLayout_t layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
    int steps = 0, batch = 0, width = 0;
    std::vector<int> lengths;
    std::vector<std::byte> fill; ///< one element, or none

    bool ragged() const;
    host_device::cudnn::sequences sequences() const { return {steps, batch, lengths}; }
    std::size_t elements() const;
    /// The first element of a time and sequence; for a packed layout only where that is alive.
    std::size_t at(int t, int b) const;
};

struct cudnnRNNStruct {
    bool set = false;
    cudnnRNNAlgo_t algorithm = CUDNN_RNN_ALGO_STANDARD;
    cudnnRNNMode_t cell = CUDNN_GRU;
    cudnnRNNBiasMode_t bias = CUDNN_RNN_DOUBLE_BIAS;
    cudnnDirectionMode_t direction = CUDNN_UNIDIRECTIONAL;
    cudnnRNNInputMode_t input = CUDNN_LINEAR_INPUT;
    cudnnDataType_t type = CUDNN_DATA_FLOAT, math_type = CUDNN_DATA_FLOAT;
    cudnnMathType_t math = CUDNN_DEFAULT_MATH;
    int inputs = 0, units = 0, projection = 0, layers = 0;
    cudnnDropoutDescriptor_t dropout = nullptr;
    unsigned flags = 0;
    cudnnDropoutStruct dropout_then; ///< what the dropout descriptor said when it was given
    std::set<int> built;             ///< batch sizes of cudnnBuildRNNDynamic

    /// As it is computed; without a rate of dropout.
    host_device::cudnn::network network() const;
};

namespace host_device::cudnn {

/// Stops unless the descriptor was set.
template <class Descriptor>
Descriptor& ready(char const* what, Descriptor* given) {
    auto& descriptor = alive(what, given);
    if (!descriptor.set)
        stop({what, " was created and never set; the real library would read what happens to stand there"});
    return descriptor;
}

constexpr std::size_t dropout_states_bytes = 4104;

/// What the buffer of a dropout descriptor holds: a mark, and numbers that the seed gave. Device memory has
/// to be open.
void make_dropout_states(void* states, unsigned long long seed);
/// A seed for one call, and other numbers for the next one. Stops where the buffer holds no states.
std::uint64_t draw_dropout_seed(void* states);

} // namespace host_device::cudnn
