// SPDX-License-Identifier: BSL-1.0
// Sums of arrays on the device, number by number and in the order of the host (distributed/sum_tree.hpp): one
// addition, or one product, of two numbers at a time, so that the bits are those of the host.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sluice/cudnn/kernels/number_kernel.hpp>
#include <sluice/cudnn/runtime/tensor.hpp>
#include <sluice/distributed/sum_tree.hpp>
#include <span>
#include <string>
#include <vector>

namespace sluice::cudnn::detail {

template <class S>
std::string sum_source() {
    return number_text<S>() + block_text() + R"(
struct frame {
    stored const* a;
    stored const* b;
    stored* to;
    size count;
    size* wrong;
    double by;
};
extern "C" __global__ void __launch_bounds__(256) add(const __grid_constant__ frame f) {
    for (size i = (size)blockIdx.x * 256 + threadIdx.x; i < f.count; i += (size)gridDim.x * 256)
        f.to[i] = rounded(widened(f.a[i]) + widened(f.b[i]));
}
extern "C" __global__ void __launch_bounds__(256) scale(const __grid_constant__ frame f) {
    for (size i = (size)blockIdx.x * 256 + threadIdx.x; i < f.count; i += (size)gridDim.x * 256)
        f.to[i] = rounded((number)f.by * widened(f.a[i]));
}
extern "C" __global__ void __launch_bounds__(256) check(const __grid_constant__ frame f) {
    __shared__ size part[256];
    unsigned int found = 0;
    for (size i = (size)blockIdx.x * 256 + threadIdx.x; i < f.count; i += (size)gridDim.x * 256) {
        number const z = widened(f.a[i]);
        found |= z - z == 0 ? 0u : 1u;
    }
    size const first = least_over_block(found ? 0 : 1, part);
    if (threadIdx.x == 0)
        f.wrong[blockIdx.x] = first == 0;
}
)";
}

struct sum_frame {
    void const* a = nullptr;
    void const* b = nullptr;
    void* to = nullptr;
    std::size_t count = 0;
    void* wrong = nullptr;
    double by = 0;
};
template <class S>
void start_sum_kernel(queue& q, void const* key, char const* name, sum_frame const& f) {
    if (f.count > 0)
        start(q, key, sum_source<S>, name, dim3(blocks_for(f.count)), dim3(threads_of_block),
              std::array{word_of(f.a), word_of(f.b), word_of(f.to), std::uint64_t{f.count}, word_of(f.wrong),
                         word_of(f.by)});
}

/// to[i] = a[i] + b[i], addresses of the device. `to` may be one of the others.
template <class S>
void add_arrays(queue& q, S const* a, S const* b, S* to, std::size_t count) {
    static char key = 0;
    start_sum_kernel<S>(q, &key, "add", {.a = a, .b = b, .to = to, .count = count});
}
/// to[i] = by from[i], also in place.
template <class S>
void scale_array(queue& q, S by, S const* from, S* to, std::size_t count) {
    static char key = 0;
    start_sum_kernel<S>(q, &key, "scale", {.a = from, .to = to, .count = count, .by = by});
}
/// Whether no number is NaN or infinite; waits.
template <class S>
bool are_finite(std::shared_ptr<queue> const& q, S const* numbers, std::size_t count) {
    static char key = 0;
    if (count == 0)
        return true;
    tensor<std::uint64_t, 1> wrong({blocks_for(count)}, q);
    start_sum_kernel<S>(*q, &key, "check", {.a = numbers, .count = count, .wrong = wrong.data()});
    auto const found = fetch(wrong);
    return std::ranges::all_of(found, [](std::uint64_t one) { return one == 0; });
}

/// sluice::add_up_arrays of arrays on the device, in the order of the queue.
template <class S>
void add_up_arrays(std::shared_ptr<queue> const& q, sum_tree const& tree,
                   std::vector<number_range> const& nodes, std::vector<S const*> const& arrays,
                   std::span<S> sum) {
    std::size_t const bytes = sum.size_bytes();
    if (bytes == 0)
        return;
    if (nodes.empty())
        return q->submit(clear_command{sum.data(), bytes, bytes, 1});
    std::vector<S const*> places(tree.depth());
    std::vector<tensor<S, 1>> memory(tree.depth());
    tree.add_up(
        nodes, [&](std::size_t place, std::size_t i) { places[place] = arrays[i]; },
        [&](std::size_t place) {
            if (memory[place].size() == 0)
                memory[place] = tensor<S, 1>({sum.size()}, q);
            add_arrays(*q, places[place], places[place + 1], memory[place].data(), sum.size());
            places[place] = memory[place].data();
        });
    if (places[0] != sum.data())
        q->submit(copy_command{places[0], 0, sum.data(), 0, bytes, 1});
}

} // namespace sluice::cudnn::detail
