// SPDX-License-Identifier: BSL-1.0
// The norm of gradients on the device, and gradients times a number (train/clip.hpp): all in double.
#pragma once

#include <algorithm>
#include <sluice/cudnn/kernels/number_kernel.hpp>
#include <sluice/cudnn/runtime/tensor.hpp>
#include <string>

namespace sluice::cudnn::detail {

template <class S>
std::string norm_source() {
    return number_text<S>() + block_text() +
           reduction_text("most_over_block", "double", most_step, whole_block) + R"(
struct frame {
    stored* g;
    size count;
    double* of_blocks;
    double by;
};
extern "C" __global__ void __launch_bounds__(256) squares(const __grid_constant__ frame f) {
    __shared__ double part[256];
    double sum = 0;
    for (size i = (size)blockIdx.x * 256 + threadIdx.x; i < f.count; i += (size)gridDim.x * 256) {
        double const g = (double)widened(f.g[i]) / f.by;
        sum += g * g;
    }
    sum = sum_over_block(sum, part);
    if (threadIdx.x == 0)
        f.of_blocks[blockIdx.x] = sum;
}
extern "C" __global__ void __launch_bounds__(256) largest(const __grid_constant__ frame f) {
    __shared__ double part[256];
    double most = 0;
    for (size i = (size)blockIdx.x * 256 + threadIdx.x; i < f.count; i += (size)gridDim.x * 256) {
        double const g = fabs((double)widened(f.g[i]));
        most = most < g ? g : most;
    }
    most = most_over_block(most, part);
    if (threadIdx.x == 0)
        f.of_blocks[blockIdx.x] = most;
}
extern "C" __global__ void __launch_bounds__(256) scale(const __grid_constant__ frame f) {
    for (size i = (size)blockIdx.x * 256 + threadIdx.x; i < f.count; i += (size)gridDim.x * 256)
        f.g[i] = rounded((number)((double)widened(f.g[i]) * f.by));
}
)";
}

/// What a kernel of norm_source gives for each block; none for no numbers.
template <class S>
xt::xtensor<double, 1> norm_over_blocks(void const* key, char const* name, tensor<S, 1> const& g, double by) {
    unsigned const blocks = blocks_for(g.size());
    if (blocks == 0)
        return xt::xtensor<double, 1>::from_shape({0});
    tensor<double, 1> of_blocks({blocks}, g.work());
    start(*g.work(), key, norm_source<S>, name, dim3(blocks), dim3(threads_of_block),
          std::array{word_of(g.data()), std::uint64_t{g.size()}, word_of(of_blocks.data()), word_of(by)});
    return fetch(of_blocks);
}
/// The sum of (g / unit)^2; waits for it.
template <class S>
double sum_of_squares(tensor<S, 1> const& g, double unit) {
    static char key = 0;
    return sum_of(norm_over_blocks(&key, "squares", g, unit));
}
/// The largest |g| of those that are numbers, or 0; waits for it.
template <class S>
double largest_of(tensor<S, 1> const& g) {
    static char key = 0;
    double most = 0;
    for (double const of_block : norm_over_blocks(&key, "largest", g, 1))
        most = std::max(most, of_block);
    return most;
}
/// g = g * factor
template <class S>
void scale(tensor<S, 1>& g, double factor) {
    static char key = 0;
    if (g.size() > 0)
        start(*g.work(), &key, norm_source<S>, "scale", dim3(blocks_for(g.size())), dim3(threads_of_block),
              std::array{word_of(g.data()), std::uint64_t{g.size()}, std::uint64_t{0}, word_of(factor)});
}

} // namespace sluice::cudnn::detail
