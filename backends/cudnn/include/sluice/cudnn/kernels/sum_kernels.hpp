// SPDX-License-Identifier: BSL-1.0
// Sums of arrays on the device, number by number and in the order of the host (distributed/sum_tree.hpp): one
// addition of two numbers at a time, so that the bits are those of the host.
#pragma once

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
    return number_text<S>() + R"(
struct frame {
    stored const* a;
    stored const* b;
    stored* to;
    size count;
};
extern "C" __global__ void __launch_bounds__(256) add(const __grid_constant__ frame f) {
    for (size i = (size)blockIdx.x * 256 + threadIdx.x; i < f.count; i += (size)gridDim.x * 256)
        f.to[i] = rounded(widened(f.a[i]) + widened(f.b[i]));
}
)";
}

/// to[i] = a[i] + b[i], addresses of the device. `to` may be one of the others.
template <class S>
void add_arrays(queue& q, S const* a, S const* b, S* to, std::size_t count) {
    static char key = 0;
    if (count > 0)
        start(q, &key, sum_source<S>, "add", dim3(blocks_for(count)), dim3(threads_of_block),
              std::array{word_of(a), word_of(b), word_of(to), std::uint64_t{count}});
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
