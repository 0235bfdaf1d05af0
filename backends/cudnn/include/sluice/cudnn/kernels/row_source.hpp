// SPDX-License-Identifier: BSL-1.0
// The kernels that are no blocks of a plan: the sum over rows, a copy of one row into many, and numbers that
// are put elsewhere, scaled and added.
#pragma once

#include <sluice/source/source_scalar.hpp>
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

/// to[i, j] = factor a[i, j] by[i, j], or divided by it, or added to what is there; a and by may be absent.
/// Each of the three is kept as an S, or computed with.
template <class S, bool IsKeptA, bool IsKeptBy, bool IsKeptTo>
std::string arrange_source() {
    std::string text(source_scalar<S>::text);
    auto const type = [](bool is_stored) { return is_stored ? "stored" : "number"; };
    auto const read = [](bool is_stored, char const* at) {
        return std::string(is_stored ? "widened(" : "(").append(at).append(")");
    };
    text.append("typedef unsigned long long size;\nstruct frame {\n    ")
        .append(type(IsKeptA))
        .append(" const* a;\n    size a_row, a_column;\n    ")
        .append(type(IsKeptBy))
        .append(" const* by;\n    size by_row, by_column;\n    ")
        .append(type(IsKeptTo))
        .append(R"(* to;
    size to_row, to_column;
    size rows, columns, divide, add;
    double factor;
};
extern "C" __global__ void __launch_bounds__(256) arrange(const __grid_constant__ frame f) {
    size const k = (size)blockIdx.x * 256 + threadIdx.x;
    if (k >= f.rows * f.columns)
        return;
    size const i = k / f.columns, j = k % f.columns;
    number value = (number)f.factor;
    if (f.a)
        value *= )")
        .append(read(IsKeptA, "f.a[i * f.a_row + j * f.a_column]"))
        .append(R"(;
    if (f.by) {
        number const b = )")
        .append(read(IsKeptBy, "f.by[i * f.by_row + j * f.by_column]"))
        .append(R"(;
        value = f.divide ? value / b : value * b;
    }
    size const at = i * f.to_row + j * f.to_column;
    if (f.add)
        value = )")
        .append(read(IsKeptTo, "f.to[at]"))
        .append(" + value;\n    f.to[at] = ")
        .append(IsKeptTo ? "rounded(value);\n}\n" : "value;\n}\n");
    return text;
}

} // namespace sluice::cudnn::detail
