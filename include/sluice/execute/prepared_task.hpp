// SPDX-License-Identifier: BSL-1.0
// A task of a plan, ready to be run (execute/tasks.hpp): its operands and its extents.
#pragma once

#include <cstddef>
#include <sluice/backend/kernels.hpp>
#include <sluice/backend/strided.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/plan/plan.hpp>
#include <stdexcept>

namespace sluice {

template <class S, class Kernels>
struct prepared_task {
    task const* what = nullptr;
    bool over_time = false;
    bool over_rows = false;
    bool is_flat = false; ///< all time steps are rows of one matrix

    // Of a block: its operands are views_[first ..], loads before stores. Of an outer product: its parts
    // are `loads` ones of `outers`, from `first` on.
    std::size_t first = 0, loads = 0, stores = 0;
    std::size_t counts = 0; ///< its part of counts_
    std::size_t registers = 0;
    std::size_t columns = 1, piece = 1;

    // c = a M, c = a^T b, c = the sum of a, or a in a matrix, or a sum over it.
    strided_view<S> a{}, b{}, c{};
    typename Kernels::template matrix<S> weight{};
    matrix_extents matrix{};
    standing stands{};
    std::size_t from = 0; ///< in a group of the weight: columns [from, from + columns)
    /// Whether all groups are asked for at once; then how far from each other those of a lie, and of b or
    /// c.
    bool as_groups = false;
    std::size_t next_a = 0, next_other = 0;

    /// How the vector of a repeat or a fold stands in the matrix value.
    void find_standing(graph_view g, plan_view p, sizes const& n) {
        if constexpr (!Kernels::is_host && !has_standing<Kernels, S>)
            fail<std::invalid_argument>(
                {"a cell with matrices as values expects kernels with repeat and fold, but "
                 "those of the backend have none; see backend/kernels.hpp"});
        node const& of = g[what->node];
        bool const is_fold = what->kind == task_kind::fold;
        std::size_t const vector = (is_fold ? c : a).columns, all = (is_fold ? a : c).columns;
        stands.in_columns = of.order != static_cast<int>(equation::stands::as_row);
        stands.groups = p.extent(of.groups, n);
        std::size_t const along = vector / stands.groups, across = vector == 0 ? 0 : all / vector;
        stands.rows = stands.in_columns ? along : across;
        stands.columns = stands.in_columns ? across : along;
    }
    /// A repeat or a fold of time step t, in so many rows.
    void stand([[maybe_unused]] Kernels const& with, std::size_t t, std::size_t count) const {
        if constexpr (has_standing<Kernels, S>) {
            using places = typename block_frame<S>::operand;
            places const read{a.at(t), a.row, a.width, a.group}, written{c.at(t), c.row, c.width, c.group};
            if (what->kind == task_kind::repeat)
                with.repeat(count, stands, read, written);
            else
                with.fold(count, stands, read, written);
        } else if constexpr (Kernels::is_host)
            stand_in_host(t, count);
    }
    /// The same, row by row of the batch.
    void stand_in_host(std::size_t t, std::size_t count) const {
        auto const run = [this](auto const& read, auto const& write) {
            what->kind == task_kind::repeat ? stands.repeat(read, write)
                                            : stands.template fold<S>(read, write);
        };
        bool const in_one_piece = a.width >= a.columns && c.width >= c.columns;
        for (std::size_t r = 0; r < count; ++r) {
            S const* const source = a.at(t) + r * a.row;
            S* const target = c.at(t) + r * c.row;
            if (in_one_piece)
                run([source](std::size_t k) { return source[k]; },
                    [target](std::size_t k) -> S& { return target[k]; });
            else
                run([&](std::size_t k) { return source[a.offset(k)]; },
                    [&](std::size_t k) -> S& { return target[c.offset(k)]; });
        }
    }

    /// How many columns of a group a and c have in a product.
    std::size_t inner() const { return what->transposed ? columns : matrix.rows; }
    std::size_t outer_columns() const { return what->transposed ? matrix.rows : columns; }
};

} // namespace sluice
