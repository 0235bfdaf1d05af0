// SPDX-License-Identifier: BSL-1.0
// The arguments of a network's calls, checked: with a status where the real library answers with one, and
// with a sentence and the program's end where it would go on.
#pragma once

#include "cudnn_objects.hpp"
#include "cudnn_storage.hpp"

namespace host_device::cudnn {

/// What stays of the descriptors: a copy, since they may change before the work is done.
struct problem {
    cudaStream_t stream = nullptr;
    host_device::cudnn::network network;
    host_device::cudnn::sequences sequences;
    cudnnDataType_t type = CUDNN_DATA_FLOAT;
    cudnnRNNDataStruct x, y;

    std::size_t state_elements(int width) const;
    std::size_t h_bytes() const { return state_elements(network.outputs) * bytes_of(type); }
    /// 0 where the cell has no c.
    std::size_t c_bytes() const;
    std::size_t weight_bytes() const { return network.weights() * bytes_of(type); }
    std::size_t work_bytes(bool training) const;
    std::size_t reserve_bytes() const;
    /// A number that differs for another problem.
    std::uint64_t identity() const;
};

enum class purpose { inference, training, gradients };

/// What the algorithm of the descriptor can do: NOT_SUPPORTED, or success.
cudnnStatus_t check_algorithm(cudnnRNNStruct const& rnn, cudnnRNNDataStruct const& x, purpose use);

/// Reads the descriptors of a call, and refuses those that do not fit together.
cudnnStatus_t describe(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, purpose use,
                       cudnnRNNDataDescriptor_t x, cudnnRNNDataDescriptor_t y, problem& out);

/// A descriptor of states, where one of the pointers that it describes is given.
cudnnStatus_t check_states(char const* what, cudnnTensorDescriptor_t given, bool used, problem const& of,
                           int width);

struct spaces {
    std::size_t weight_bytes;
    void const* weights;
    std::size_t work_bytes;
    void* work;
    std::size_t reserve_bytes;
    void* reserve;
};
cudnnStatus_t check_spaces(spaces const& given, problem const& of, purpose use);

/// Memory of a call: what is NULL and need not be given has no bytes. Stops where one that has to be given is
/// NULL, where an address is not a multiple of an element's bytes, or where one that is written overlaps
/// another.
struct operand {
    range memory;
    std::size_t element;
    bool optional = false;
};
std::vector<range> check_operands(std::vector<operand> operands);

/// Rows [time, batch] of doubles; padding is 0.
reals gather(cudnnRNNDataStruct const& as, void const* from);
/// Writes the rows of living steps; the others get `fill`, where there is one to be written.
void scatter(cudnnRNNDataStruct const& as, void* to, reals const& rows, bool fill);
/// Zeros where the pointer is NULL.
reals read_states(cudnnDataType_t type, void const* from, std::size_t count);

/// Puts the work into the stream.
cudnnStatus_t submit(problem const& of, std::vector<range> ranges, std::function<void()> work);

} // namespace host_device::cudnn
