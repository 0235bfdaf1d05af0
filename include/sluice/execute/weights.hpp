// SPDX-License-Identifier: BSL-1.0
// The weights of a plan: matrices that are made of the parameters (execute/matrices.hpp), and packed as the
// backend likes them.
#pragma once

#include <sluice/core/fail.hpp>
#include <sluice/execute/matrices.hpp>
#include <span>
#include <vector>

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

    /// What was made is not used any more: its memory is for what is made now.
    void begin_again() {
        packed_count_ = 0;
        values.forget_made();
    }
    /// Makes all that tasks multiply with.
    void make(Kernels const& kernels, view<task> tasks) {
        auto const numbers = numbers_with<S>(kernels);
        for (task const& t : tasks)
            if (t.kind != task_kind::product)
                continue;
            else if constexpr (!Kernels::packs)
                values.make(t.weight, numbers);
            else if (find(t) == nullptr)
                pack(kernels, t, numbers);
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
        matrix values{};

        bool is_of(task const& t) const { return node == t.weight && transposed == t.transposed; }
    };
    graph_view graph_;
    sizes n_;
    weights const* others_;
    std::vector<packed> packed_{};
    std::size_t packed_count_ = 0; ///< those after them are of before

    void pack(Kernels const& kernels, task const& t, numbers_of<Kernels, S> const& numbers) {
        bool const is_new = packed_count_ == packed_.size() || !packed_[packed_count_].is_of(t);
        if (is_new)
            packed_.resize(packed_count_), packed_.push_back({t.weight, t.transposed});
        matrix& to = packed_[packed_count_++].values;
        if constexpr (packs_parts<Kernels, S>) {
            auto const parts = values.side_by_side(t.weight, numbers);
            if constexpr (packs_again<Kernels, S>)
                if (!is_new)
                    return kernels.template pack_again<S>(to, std::span(parts), t.transposed);
            to = kernels.template pack<S>(extents(t), std::span(parts), t.transposed);
        } else
            to = kernels.template pack<S>(extents(t), values.make(t.weight, numbers), t.transposed);
    }
    matrix const* find(task const& t) const {
        for (packed const& p : std::span(packed_).first(packed_count_))
            if (p.is_of(t))
                return &p.values;
        return others_ == nullptr ? nullptr : others_->find(t);
    }
};

} // namespace sluice
