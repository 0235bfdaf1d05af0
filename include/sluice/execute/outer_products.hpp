// SPDX-License-Identifier: BSL-1.0
// Where a sweep puts its outer products, of which the gradients of matrices are made. One that is wanted in
// parts, such as those of the gates, each of them once, is written there at once; any other has memory of its
// own.
#pragma once

#include <sluice/execute/memory.hpp>
#include <sluice/execute/transfer.hpp>
#include <sluice/execute/weights.hpp>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

template <class S, class Kernels>
class outer_products {
public:
    using memory_type = sweep_memory<S, Kernels>;
    using pool_type = typename memory_type::pool_type;

    /// Columns [from, from + columns) of each group: a matrix [groups, rows, columns] at `to`.
    struct part {
        int node; ///< the matrix that it is, or that of which it is all
        std::size_t from, columns;
        S* to;
    };

    outer_products(memory_type const& memory, pool_type pool) : values_(memory), pool_(std::move(pool)) {}

    /// Says where a matrix is wanted, which may be an outer product or columns of one.
    void expect(int node, S* to) { expected_.push_back({node, to}); }
    void clear() {
        parts_.clear();
        own_.clear();
    }
    /// Finds the parts of an outer product: they follow each other from the number on that it gives.
    std::size_t place(int node, matrix_extents const& extents) {
        graph_view const& g = values_.graph;
        std::size_t const first = parts_.size();
        std::size_t columns = 0, readers = 0;
        for (auto const& [wanted, to] : expected_) {
            bool const is_slice = g[wanted].kind == op::slice && g.operand(wanted) == node;
            if (!is_slice && wanted != node)
                continue;
            std::size_t const from =
                is_slice ? values_.plan.offset(g[wanted].from, values_.n) / extents.groups : 0;
            parts_.push_back({wanted, from, extents_of(g, g[wanted].shape, values_.n).columns, to});
            columns += parts_.back().columns;
            readers += is_slice;
        }
        for (int i = 0; i < g.size(); ++i)
            for (int const o : g.operands_of(i))
                readers -= o == node;
        if (parts_.size() == first || columns != extents.columns || readers != 0) {
            parts_.resize(first);
            own_.emplace_back(pool_, detail::require_buffer(extents.groups, extents.rows, extents.columns));
            parts_.push_back({node, 0, extents.columns, own_.back().data()});
        }
        return first;
    }
    std::span<part const> parts(std::size_t first, std::size_t count) const {
        return std::span(parts_).subspan(first, count);
    }
    std::size_t size() const { return parts_.size(); }

    /// Hands them on; the host has them after `sent.finish()`.
    void give(typename weights<S, Kernels>::values_type& matrices, transfers<S, Kernels>& sent) const {
        for (part const& p : parts_)
            if constexpr (Kernels::is_host || makes_matrices<Kernels, S>)
                matrices.give(p.node, p.to);
            else
                sent.expect(p.to, matrices.place(p.node), matrices.count(p.node));
    }

private:
    memory_type const& values_;
    pool_type pool_;
    std::vector<std::pair<int, S*>> expected_{};
    std::vector<part> parts_{};
    std::vector<scratch<S, Kernels>> own_{};
};

} // namespace sluice
