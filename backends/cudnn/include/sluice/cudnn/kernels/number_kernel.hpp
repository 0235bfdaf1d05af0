// SPDX-License-Identifier: BSL-1.0
// Kernels over arrays of numbers, for what stands around a net in training: how they are started, and what
// their texts share.
//
// A sum over an array is in double and in one order, which depends on the size of the array only: each thread
// sums what it is given, the 256 threads of a block are summed as a tree, and the host sums the blocks.
// Nothing is atomic.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <sluice/core/moved_from.hpp>
#include <sluice/cudnn/runtime/block_kernel.hpp>
#include <sluice/cudnn/runtime/tensor.hpp>
#include <sluice/source/source_scalar.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cudnn::detail {

inline constexpr unsigned threads_of_block = 256;

/// What begins every text: the numbers of an S, and sizes.
template <class S>
std::string number_text() {
    static_assert(source_scalar<S>::is_known,
                  "sluice: kernels of a CUDA device keep numbers as float, double, sluice::half or "
                  "sluice::bfloat16, and the scalar of the cell is another");
    return std::string(source_scalar<S>::text) + "typedef unsigned long long size;\n";
}

/// What a text calls for the threads that a number is reduced over, as a tree.
struct reduced_over {
    char const *first, *of_thread, *result; ///< half of the threads, the number of one, where the tree ends
};
inline constexpr reduced_over whole_block{"128", "t", "0"}; ///< of 256 threads
inline constexpr reduced_over row_of_threads{"blockDim.x / 2", "threadIdx.x", "t - threadIdx.x"};

/// A function name(mine, part), which gives each thread what `step` makes of part[t] and part[t + n] for all
/// of them; `part` is room for a number of each thread of the block.
inline std::string reduction_text(char const* name, char const* type, char const* step,
                                  reduced_over const& over) {
    std::string text("__device__ inline ");
    text.append(type).append(" ").append(name).append("(").append(type).append(" mine, ").append(type);
    text.append("* part) {\n    unsigned int const t = thread_of_block();\n    part[t] = mine;\n    "
                "__syncthreads();\n");
    text.append("    for (unsigned int n = ").append(over.first).append("; n > 0; n /= 2) {\n        if (");
    text.append(over.of_thread).append(" < n)\n            ").append(step);
    text.append("\n        __syncthreads();\n    }\n    ").append(type).append(" const all = part[");
    text.append(over.result).append("];\n    __syncthreads();\n    return all;\n}\n");
    return text;
}
inline constexpr char const* sum_step = "part[t] += part[t + n];";
inline constexpr char const* least_step = "part[t] = part[t + n] < part[t] ? part[t + n] : part[t];";
inline constexpr char const* most_step = "part[t] = part[t] < part[t + n] ? part[t + n] : part[t];";

/// A sum, and the smallest, over all threads of a block.
inline std::string block_text() {
    return "__device__ inline unsigned int thread_of_block() { return threadIdx.y * blockDim.x + "
           "threadIdx.x; }\n" +
           reduction_text("sum_over_block", "double", sum_step, whole_block) +
           reduction_text("least_over_block", "size", least_step, whole_block);
}

/// So many blocks pass over so many numbers, in strides where there are more: as many as a large device runs
/// at once.
inline unsigned blocks_for(std::size_t count, std::size_t of_block = threads_of_block,
                           std::size_t most = 1024) {
    return static_cast<unsigned>(std::min(count / of_block + (count % of_block != 0 ? 1 : 0), most));
}

/// Of what the blocks have summed.
inline double sum_of(xt::xtensor<double, 1> const& of_blocks) {
    double sum = 0;
    for (double const of_block : of_blocks)
        sum += of_block;
    return sum;
}

inline std::uint64_t word_of(double number) {
    return std::bit_cast<std::uint64_t>(number);
}

/// Throws `std::invalid_argument` for a tensor that was moved from: "what WHO is given as labels" it is.
template <class S, std::size_t Rank>
void require_tensor(std::string_view who, std::string_view before, tensor<S, Rank> const& values,
                    std::string_view behind) {
    if (!values.work())
        fail<std::invalid_argument>({before, who, behind, sluice::detail::was_moved_from});
}

/// While it lives, the work of one queue may read and write what belongs to other queues: it runs after their
/// earlier work, and their later work runs after it. Nothing waits on the host.
class guest_numbers {
public:
    /// Throws `std::invalid_argument` where one is of another device.
    guest_numbers(std::string_view who, queue& here, std::initializer_list<queue*> others) : here_(here) {
        for (queue* const other : others)
            if (other != &here) {
                if (other->device.number != here.device.number)
                    fail<std::invalid_argument>(
                        {who, " expects tensors of one device, but they are of device ", here.device.number,
                         " and of device ", other->device.number, "; fetch and send those of one of them"});
                follow(here, *other);
                guests_.push_back(other);
            }
    }
    guest_numbers(guest_numbers const&) = delete;
    guest_numbers& operator=(guest_numbers const&) = delete;
    ~guest_numbers() {
        for (queue* const guest : guests_)
            try {
                follow(*guest, here_);
            } catch (std::exception const&) { // the device is lost, and the next call says so
            }
    }

private:
    queue& here_;
    std::vector<queue*> guests_{};
};

} // namespace sluice::cudnn::detail
