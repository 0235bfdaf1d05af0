// SPDX-License-Identifier: BSL-1.0
// Kernels for sequences [T, B, width] between the layers of a stack:
//
//   reverse c[t, b] = a[L_b - 1 - t, b] for t < L_b, else a[t, b]   each row backwards within its length
//   mask    c = a m, and 0 where m is 0, also where a is not finite
//
// The rows of a and c may lie apart, so that they can be columns of a wider tensor.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <sluice/core/arithmetic.hpp>
#include <sluice/cudnn/runtime/block_kernel.hpp>
#include <sluice/source/source_scalar.hpp>
#include <span>
#include <string>
#include <utility>

namespace sluice::cudnn {
namespace detail {

template <class S>
std::string reverse_source() {
    return std::string(source_scalar<S>::text) + R"(typedef unsigned long long size;
struct frame {
    stored const* a;
    size a_row;
    stored* c;
    size c_row, steps, batch, width;
    size const* lengths;
};
extern "C" __global__ void __launch_bounds__(128) reverse(const __grid_constant__ frame f) {
    size const to = (size)blockIdx.x * blockDim.y + threadIdx.y;
    if (to >= f.steps * f.batch)
        return;
    size const t = to / f.batch, b = to % f.batch;
    size const end = f.lengths ? f.lengths[b] : f.steps;
    size const from = t < end ? (end - 1 - t) * f.batch + b : to;
    for (size i = (size)blockIdx.y * blockDim.x + threadIdx.x; i < f.width; i += (size)gridDim.y * blockDim.x)
        f.c[to * f.c_row + i] = f.a[from * f.a_row + i];
}
)";
}

template <class S>
std::string mask_source() {
    return std::string(source_scalar<S>::text) + R"(typedef unsigned long long size;
struct frame {
    stored const* a;
    number const* m;
    size period;
    stored* c;
    size count;
};
extern "C" __global__ void __launch_bounds__(256) mask(const __grid_constant__ frame f) {
    size const i = (size)blockIdx.x * 256 + threadIdx.x;
    if (i >= f.count)
        return;
    number const m = f.m[i % f.period];
    f.c[i] = m == 0 ? rounded(0) : rounded(widened(f.a[i]) * m);
}
)";
}

} // namespace detail

class sequence_kernels {
    using size = std::size_t;

public:
    explicit sequence_kernels(std::shared_ptr<queue> work) : queue_(std::move(work)) {}

    /// `lengths` lie on the device, or are null: all rows are full.
    template <class S>
    void reverse(size steps, size batch, size width, S const* a, size a_row, S* c, size c_row,
                 size const* lengths) const {
        static char key = 0;
        if (steps * batch * width > 0)
            launch(&key, detail::reverse_source<S>, "reverse",
                   dim3(detail::parts_of(steps * batch, 4), std::min(65535u, detail::parts_of(width, 32))),
                   dim3(32, 4),
                   {detail::word_of(a), a_row, detail::word_of(c), c_row, steps, batch, width,
                    detail::word_of(lengths)});
    }
    /// The mask of number i is m[i mod period].
    template <class S>
    void mask(size count, S const* a, arithmetic_of<S> const* m, size period, S* c) const {
        static char key = 0;
        if (count > 0)
            launch(&key, detail::mask_source<S>, "mask", dim3(detail::parts_of(count, 256)), dim3(256),
                   {detail::word_of(a), detail::word_of(m), period, detail::word_of(c), count});
    }

private:
    std::shared_ptr<queue> queue_;

    void launch(void const* key, std::string (*source)(), char const* name, dim3 grid, dim3 block,
                std::initializer_list<std::uint64_t> argument) const {
        detail::start(*queue_, key, source, name, grid, block, std::span(argument.begin(), argument.size()));
    }
};

} // namespace sluice::cudnn
