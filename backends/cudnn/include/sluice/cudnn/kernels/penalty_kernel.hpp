// SPDX-License-Identifier: BSL-1.0
// A penalty on numbers of the device, and its gradient (train/regularizer.hpp): in double, as on the host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <sluice/cudnn/kernels/number_kernel.hpp>
#include <sluice/cudnn/runtime/tensor.hpp>
#include <sluice/source/traced.hpp>
#include <sluice/train/regularizer.hpp>
#include <string>
#include <string_view>

namespace sluice::cudnn::detail {

template <class S>
std::string penalty_source() {
    std::array const factor{traced<double>("f.l1"), traced<double>("f.l2")};
    traced<double> const w("w");
    std::string text = number_text<S>() + block_text() + R"(
struct frame {
    stored const* w;
    stored* g;
    size count;
    double* of_blocks;
    double l1, l2;
};
)";
    auto const define = [&](std::string_view name, traced<double> const& value) {
        text.append("__device__ inline double ").append(name).append("_of(double w, frame const& f) {\n");
        text += "    typedef double number;\n";
        print(value, name, text);
        text.append("    return ").append(name).append(";\n}\n");
    };
    define("term", regularizer::term(factor, w));
    define("slope", regularizer::slope(factor, w));
    text += R"(extern "C" __global__ void __launch_bounds__(256) penalty(const __grid_constant__ frame f) {
    __shared__ double part[256];
    double sum = 0;
    for (size i = (size)blockIdx.x * 256 + threadIdx.x; i < f.count; i += (size)gridDim.x * 256)
        sum += term_of((double)widened(f.w[i]), f);
    sum = sum_over_block(sum, part);
    if (threadIdx.x == 0)
        f.of_blocks[blockIdx.x] = sum;
}
extern "C" __global__ void __launch_bounds__(256) slope(const __grid_constant__ frame f) {
    for (size i = (size)blockIdx.x * 256 + threadIdx.x; i < f.count; i += (size)gridDim.x * 256)
        f.g[i] = rounded((number)((double)widened(f.g[i]) + slope_of((double)widened(f.w[i]), f)));
}
)";
    return text;
}

/// The penalty on numbers [first, first + count) of all; waits for it.
template <class S>
double penalty_of(regularizer const& how, tensor<S, 1> const& all, std::size_t first, std::size_t count) {
    static char key = 0;
    how.check();
    unsigned const blocks = blocks_for(count);
    if (blocks == 0)
        return 0;
    tensor<double, 1> of_blocks({blocks}, all.work());
    start(*all.work(), &key, penalty_source<S>, "penalty", dim3(blocks), dim3(threads_of_block),
          std::array{word_of(all.data() + first), std::uint64_t{0}, std::uint64_t{count},
                     word_of(of_blocks.data()), word_of(how.l1), word_of(how.l2)});
    return sum_of(fetch(of_blocks));
}
/// The same numbers of the gradient += the gradient of the penalty.
template <class S>
void add_penalty(regularizer const& how, tensor<S, 1> const& all, std::size_t first, std::size_t count,
                 tensor<S, 1>& gradient) {
    static char key = 0;
    how.check();
    if (count == 0)
        return;
    guest_numbers const guests("a penalty", *gradient.work(), {all.work().get()});
    start(*gradient.work(), &key, penalty_source<S>, "slope", dim3(blocks_for(count)), dim3(threads_of_block),
          std::array{word_of(all.data() + first), word_of(gradient.data() + first), std::uint64_t{count},
                     std::uint64_t{0}, word_of(how.l1), word_of(how.l2)});
}

} // namespace sluice::cudnn::detail
