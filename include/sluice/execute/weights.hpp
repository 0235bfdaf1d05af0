// SPDX-License-Identifier: BSL-1.0
// The weights of a plan: matrices that are made of the parameters (execute/matrices.hpp), and packed as the
// backend likes them.
#pragma once

#include <sluice/core/fail.hpp>
#include <sluice/execute/matrices.hpp>

namespace sluice {

template <class S, class Kernels>
class weights {
public:
    using matrix = typename Kernels::template matrix<S>;
    using values_type = matrix_values<S, numbers_of<Kernels, S>>;

    /// What `others` has need not be made again.
    weights(graph_view g, sizes const& n, weights const* others = nullptr)
        : values(g, n, others == nullptr ? nullptr : &others->values), graph_(g), n_(n), others_(others) {}

    values_type values; ///< parameters and settings are given here

    /// Makes all that tasks multiply with.
    void make(Kernels const& kernels, view<task> tasks) {
        auto const numbers = numbers_with<S>(kernels);
        for (task const& t : tasks)
            if (t.kind != task_kind::product)
                continue;
            else if constexpr (!Kernels::packs)
                values.make(t.weight, numbers);
            else if (find(t) == nullptr)
                packed_.push_back({t.weight, t.transposed, pack(kernels, t, numbers)});
        if constexpr (Kernels::packs)
            values.forget_made();
    }
    /// What a product multiplies with.
    matrix of(Kernels const& kernels, task const& t) const {
        if constexpr (Kernels::packs) {
            if (matrix const* const there = find(t))
                return *there;
        } else if (auto const* const there = values.find(t.weight))
            return kernels.template pack<S>(extents(t), there, t.transposed);
        fail<std::logic_error>({"a product of the plan multiplies with a matrix that was not made; this is a "
                                "fault of the planner"});
    }
    matrix_extents extents(task const& t) const { return extents_of(graph_, graph_[t.weight].shape, n_); }

private:
    struct packed {
        int node;
        bool transposed;
        matrix values;
    };
    graph_view graph_;
    sizes n_;
    weights const* others_;
    std::vector<packed> packed_{};

    matrix pack(Kernels const& kernels, task const& t, numbers_of<Kernels, S> const& numbers) {
        if constexpr (packs_parts<Kernels, S>) {
            auto const parts = values.side_by_side(t.weight, numbers);
            return kernels.template pack<S>(extents(t), std::span(parts), t.transposed);
        } else
            return kernels.template pack<S>(extents(t), values.make(t.weight, numbers), t.transposed);
    }
    matrix const* find(task const& t) const {
        for (packed const& p : packed_)
            if (p.node == t.weight && p.transposed == t.transposed)
                return &p.values;
        return others_ == nullptr ? nullptr : others_->find(t);
    }
};

} // namespace sluice
