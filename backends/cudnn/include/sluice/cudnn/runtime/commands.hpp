// SPDX-License-Identifier: BSL-1.0
// Commands to a device, written down before they are done: as bytes, which can be compared
// (cudnn/runtime/graphs.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <sluice/core/fnv.hpp>
#include <sluice/cudnn/runtime/device_error.hpp>
#include <span>
#include <type_traits>
#include <vector>

namespace sluice::cudnn {

/// Where commands are done.
struct command_target {
    cudaStream_t stream = nullptr;
    cublasHandle_t blas = nullptr;
};

/// c[i] = a[i] b[i], or added to c, of matrices that are stored column by column; `count` of them, strides
/// apart.
struct product_command {
    static constexpr std::uint32_t kind = 1;
    cublasOperation_t op_a = CUBLAS_OP_N, op_b = CUBLAS_OP_N;
    int m = 0, n = 0, k = 0, count = 1;
    void const* a = nullptr;
    long long lda = 0, stride_a = 0;
    void const* b = nullptr;
    long long ldb = 0, stride_b = 0;
    void* c = nullptr;
    long long ldc = 0, stride_c = 0;
    cudaDataType type = CUDA_R_32F;
    cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
    long long add = 0;

    void run(command_target const& q) const {
        bool const in_double = compute == CUBLAS_COMPUTE_64F;
        float const one = 1, old = add ? 1 : 0;
        double const one_double = 1, old_double = add ? 1 : 0;
        void const* const alpha = in_double ? static_cast<void const*>(&one_double) : &one;
        void const* const beta = in_double ? static_cast<void const*>(&old_double) : &old;
        auto const i = [](long long value) { return static_cast<int>(value); };
        cublasStatus_t const status =
            count == 1 ? cublasGemmEx(q.blas, op_a, op_b, m, n, k, alpha, a, type, i(lda), b, type, i(ldb),
                                      beta, c, type, i(ldc), compute, CUBLAS_GEMM_DEFAULT)
                       : cublasGemmStridedBatchedEx(q.blas, op_a, op_b, m, n, k, alpha, a, type, i(lda),
                                                    stride_a, b, type, i(ldb), stride_b, beta, c, type,
                                                    i(ldc), stride_c, count, compute, CUBLAS_GEMM_DEFAULT);
        require(status, {"multiply ", count, " times [", n, ", ", k, "] with [", k, ", ", m, "], rows ", ldb,
                         ", ", lda, " and ", ldc, " numbers apart"});
    }
};

/// Rows of bytes from one place to another.
struct copy_command {
    static constexpr std::uint32_t kind = 2;
    void const* from = nullptr;
    std::size_t from_pitch = 0;
    void* to = nullptr;
    std::size_t to_pitch = 0, width = 0, rows = 0;

    void run(command_target const& q) const {
        cudaError_t const status =
            rows == 1 || (from_pitch == width && to_pitch == width)
                ? cudaMemcpyAsync(to, from, rows * width, cudaMemcpyDeviceToDevice, q.stream)
                : cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, rows, cudaMemcpyDeviceToDevice,
                                    q.stream);
        require(status, {"copy ", rows, " rows of ", width, " bytes on the device"});
    }
};

/// Zeros into rows of bytes.
struct clear_command {
    static constexpr std::uint32_t kind = 3;
    void* to = nullptr;
    std::size_t pitch = 0, width = 0, rows = 0;

    void run(command_target const& q) const {
        cudaError_t const status = rows == 1 || pitch == width
                                       ? cudaMemsetAsync(to, 0, rows * width, q.stream)
                                       : cudaMemset2DAsync(to, pitch, 0, width, rows, q.stream);
        require(status, {"clear ", rows, " rows of ", width, " bytes on the device"});
    }
};

/// A kernel; the bytes of its argument follow it.
struct launch_command {
    static constexpr std::uint32_t kind = 4;
    cudaKernel_t kernel = nullptr;
    dim3 grid{}, block{};

    void run(command_target const& q, void* argument) const {
        cudaLaunchConfig_t how{};
        how.gridDim = grid;
        how.blockDim = block;
        how.stream = q.stream;
        void* arguments[] = {argument};
        require(cudaLaunchKernelExC(&how, reinterpret_cast<void const*>(kernel), arguments),
                {"start a kernel on a grid of ", grid.x, " x ", grid.y, " x ", grid.z, " blocks of ", block.x,
                 " x ", block.y, " threads"});
    }
};

/// Commands, one after the other, in words of 8 bytes.
class command_log {
public:
    using words = std::vector<std::uint64_t>;

    /// `argument` is that of a kernel.
    template <class Command>
    void add(Command const& command, std::span<std::uint64_t const> argument = {}) {
        static_assert(std::has_unique_object_representations_v<Command> && sizeof(Command) % 8 == 0);
        std::size_t const first = words_.size();
        std::size_t const size = sizeof(Command) / 8;
        words_.resize(first + 1 + size + argument.size());
        words_[first] = std::uint64_t(Command::kind) << 32 | (size + argument.size());
        auto const of_command = std::bit_cast<std::array<std::uint64_t, sizeof(Command) / 8>>(command);
        std::copy(of_command.begin(), of_command.end(),
                  words_.begin() + static_cast<std::ptrdiff_t>(first + 1));
        std::copy(argument.begin(), argument.end(),
                  words_.begin() + static_cast<std::ptrdiff_t>(first + 1 + size));
        ++count_;
    }
    void clear() {
        words_.clear();
        count_ = 0;
    }
    std::size_t count() const { return count_; }
    words const& bytes() const { return words_; }

    /// Two logs of one shape may differ in what their commands are given.
    std::uint64_t shape() const {
        std::uint64_t sum = fnv_of_nothing;
        for (std::size_t i = 0; i < words_.size(); i += 1 + (words_[i] & 0xffffffff)) {
            bool const launches = words_[i] >> 32 == launch_command::kind;
            for (std::uint64_t const word : {words_[i], launches ? words_[i + 1] : 0}) // the kernel
                sum = fnv_with(sum, word);
        }
        return sum;
    }
    void run(command_target const& where) const {
        for (std::size_t i = 0; i < words_.size(); i += 1 + (words_[i] & 0xffffffff))
            switch (words_[i] >> 32) {
            case product_command::kind:
                at<product_command>(i).run(where);
                break;
            case copy_command::kind:
                at<copy_command>(i).run(where);
                break;
            case clear_command::kind:
                at<clear_command>(i).run(where);
                break;
            case launch_command::kind: // CUDA copies the argument, and takes it as if it might change it
                at<launch_command>(i).run(
                    where, const_cast<std::uint64_t*>(&words_[i + 1 + sizeof(launch_command) / 8]));
                break;
            }
    }

private:
    words words_{};
    std::size_t count_ = 0;

    template <class Command>
    Command at(std::size_t i) const {
        std::array<std::uint64_t, sizeof(Command) / 8> of_command;
        std::copy_n(words_.begin() + static_cast<std::ptrdiff_t>(i + 1), of_command.size(),
                    of_command.begin());
        return std::bit_cast<Command>(of_command);
    }
};

} // namespace sluice::cudnn
