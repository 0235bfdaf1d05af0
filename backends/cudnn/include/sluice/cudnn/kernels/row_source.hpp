// SPDX-License-Identifier: BSL-1.0
// The kernels that are no blocks of a plan: the sum over rows, a copy of one row into many, and numbers that
// are put elsewhere, scaled and added.
#pragma once

#include <sluice/source/source_scalar.hpp>
#include <string>

namespace sluice::cudnn::detail {

/// s[n] = the sum over m rows of a[m, n], or added to s: 16 threads for each column, whose sums are added in
/// their order.
template <class S>
std::string total_source() {
    return std::string(source_scalar<S>::text) + R"(typedef unsigned long long size;
struct frame {
    stored const* a;
    size lda, m;
    stored* s;
    size n, add;
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
    f.s[c] = rounded(f.add ? widened(f.s[c]) + sum : sum);
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

/// What is the same in the kernels of matrix values (backend/standing.hpp): a thread for each number of the
/// result.
template <class S>
std::string standing_source(char const* name, char const* count, char const* body) {
    return std::string(source_scalar<S>::text) + R"(typedef unsigned long long size;
struct place {
    stored* data;
    size row, width, group;
};
struct frame {
    place a, c;
    size rows, in_columns, groups, height, width;
};
__device__ inline stored& at(place const& o, size r, size k) {
    return o.data[r * o.row + (k < o.width ? k : k / o.width * o.group + k % o.width)];
}
extern "C" __global__ void __launch_bounds__(256) )" +
           name + R"((const __grid_constant__ frame f) {
    size const count = )" +
           count + R"(;
    size const i = (size)blockIdx.x * 256 + threadIdx.x;
    if (i >= f.rows * count)
        return;
    size const r = i / count, k = i % count;
)" + body + "}\n";
}
template <class S>
std::string repeat_source() {
    return standing_source<S>("repeat", "f.groups * f.height * f.width", R"(
    size const of = f.in_columns ? k / f.width : k / (f.height * f.width) * f.width + k % f.width;
    at(f.c, r, k) = at(f.a, r, of);
)");
}
/// Each sum is of one thread, from the first number to the last.
template <class S>
std::string fold_source() {
    return standing_source<S>("fold", "f.groups * (f.in_columns ? f.height : f.width)", R"(
    size const first = f.in_columns ? k * f.width : k / f.width * f.height * f.width + k % f.width;
    size const next = f.in_columns ? 1 : f.width, numbers = f.in_columns ? f.width : f.height;
    number sum = 0;
    for (size n = 0; n < numbers; ++n)
        sum += widened(at(f.a, r, first + n * next));
    at(f.c, r, k) = rounded(sum);
)");
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
