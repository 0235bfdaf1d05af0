// SPDX-License-Identifier: BSL-1.0
// In which orders steps run their tasks. In every second step, products that follow each other and have
// nothing to do with each other change places: the weights that a step multiplied with last are the first of
// the next one, and still in the caches. Of a GRU in cuDNN's form:
//
//   even steps   a = x W    b = h R    gates, candidate, next state
//   odd steps    b = h R    a = x W    gates, candidate, next state
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <sluice/execute/memory.hpp>
#include <utility>
#include <vector>

namespace sluice {
namespace detail {

/// Whether no memory is that of a product's result and of the other's result or operand.
template <class S, class Kernels>
bool are_apart(sweep_memory<S, Kernels> const& m, task const& a, task const& b) {
    auto const memory_of = [&](int node) { // buffers of one slot share theirs
        if (!m.is_placed(node))
            return std::pair(-1, node);
        int const buffer = m.place_of(node).buffer, slot = m.plan.buffers[buffer].slot;
        return slot < 0 ? std::pair(0, buffer) : std::pair(1, slot);
    };
    auto const operand_of = [&](task const& t) { return memory_of(m.whole_of(m.graph.operand(t.node))); };
    auto const result_of = [&](task const& t) { return memory_of(t.node); };
    return result_of(a) != result_of(b) && result_of(a) != operand_of(b) && result_of(b) != operand_of(a);
}

} // namespace detail

/// The order of even steps, which is that of the tasks, and that of odd ones; each says in `what` which task
/// it is.
template <class S, class Kernels, class Prepared>
std::array<std::vector<std::size_t>, 2> step_orders(sweep_memory<S, Kernels> const& m,
                                                    std::vector<Prepared> const& tasks) {
    auto const is_new_product = [&](std::size_t i) {
        return tasks[i].what->kind == task_kind::product && !tasks[i].what->accumulates();
    };
    std::vector<std::size_t> even(tasks.size());
    std::iota(even.begin(), even.end(), std::size_t(0));
    auto odd = even;
    for (std::size_t first = 0, last = 0; first < tasks.size(); first = last) {
        auto const joins = [&](std::size_t i) {
            bool apart = is_new_product(i);
            for (std::size_t k = first; k < i && apart; ++k)
                apart = is_new_product(k) && detail::are_apart(m, *tasks[k].what, *tasks[i].what);
            return apart;
        };
        for (last = first + 1; last < tasks.size() && joins(last);)
            ++last;
        std::reverse(odd.begin() + static_cast<std::ptrdiff_t>(first),
                     odd.begin() + static_cast<std::ptrdiff_t>(last));
    }
    return {even, odd};
}

} // namespace sluice
