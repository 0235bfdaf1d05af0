// SPDX-License-Identifier: BSL-1.0
// The kernels that are no blocks of a plan: the sum over rows, and a copy of one row into many.
#pragma once

#include <sluice/lower/source_scalar.hpp>
#include <string>

namespace sluice::cudnn::detail {

/// s[n] = the sum over m rows of a[m, n]: 16 threads for each column, whose sums are added in their order.
template <class S>
std::string total_source() {
    return std::string(source_scalar<S>::text) + R"(typedef unsigned long long size;
struct frame {
    stored const* a;
    size lda, m;
    stored* s;
    size n;
};
extern "C" __global__ void __launch_bounds__(512) total(const __grid_constant__ frame f) {
    __shared__ number part[16][32];
    size const c = (size)blockIdx.x * 32 + threadIdx.x;
    number sum = 0;
    if (c < f.n)
        for (size r = threadIdx.y; r < f.m; r += 16)
            sum += widened(f.a[r * f.lda + c]);
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || c >= f.n)
        return;
    for (int i = 1; i < 16; ++i)
        sum += part[i][threadIdx.x];
    f.s[c] = rounded(sum);
}
)";
}

/// c[m, n] = a[n] in each row.
template <class S>
std::string spread_source() {
    return std::string(source_scalar<S>::text) + R"(typedef unsigned long long size;
struct frame {
    stored const* a;
    stored* c;
    size ldc, m, n;
};
extern "C" __global__ void __launch_bounds__(128) spread(const __grid_constant__ frame f) {
    size const c = (size)blockIdx.y * blockDim.x + threadIdx.x;
    size const r = (size)blockIdx.x * blockDim.y + threadIdx.y;
    if (r < f.m && c < f.n)
        f.c[r * f.ldc + c] = f.a[c];
}
)";
}

} // namespace sluice::cudnn::detail
