// SPDX-License-Identifier: BSL-1.0
// A task of a plan, ready to be run (execute/tasks.hpp): its operands and its extents. And a step of a plan,
// ready to be asked of the kernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <sluice/backend/block.hpp>
#include <sluice/backend/kernels.hpp>
#include <sluice/backend/strided.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/plan/plan.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sluice {

/// Where a value is read: f(node), whatever the type of f, which outlives it. So tasks are prepared by one
/// function, and not by one for each caller.
template <class S>
class value_reader {
public:
    template <class F>
    value_reader(F const& f)
        : f_(&f), call_([](void const* of, int node) -> strided_view<S> {
              return (*static_cast<F const*>(of))(node);
          }) {}
    strided_view<S> operator()(int node) const { return call_(f_, node); }

private:
    void const* f_;
    strided_view<S> (*call_)(void const* of, int node);
};

/// What every step reads stands first, side by side: a step of few units waits for no other line of a cache.
template <class S, class Kernels>
struct prepared_task {
    task const* what = nullptr;
    bool over_time = false;
    bool over_rows = false;
    bool is_flat = false;     ///< all time steps are rows of one matrix
    bool of_matrices = false; ///< a block whose operands are vectors in matrix values, or sums over them
    /// Whether all groups of a product are asked for at once; then how far from each other those of a lie,
    /// and of b or c (next_a, next_other).
    bool as_groups = false;

    // Of a block: its operands are views_[first ..], loads before stores. Of an outer product: its parts
    // are `loads` ones of `outers`, from `first` on.
    std::size_t first = 0, loads = 0, stores = 0;
    std::size_t counts = 0; ///< its part of counts_
    std::size_t columns = 1, piece = 1;

    std::size_t keys = 0; ///< rows of a matrix of a group, where a is matrix values; otherwise 0
    std::size_t from = 0; ///< in a group of the weight: columns [from, from + columns)

    // c = a M, c = a^T b, c = the sum of a, or a in a matrix, or a sum over it.
    strided_view<S> a{}, b{}, c{};
    typename Kernels::template matrix<S> weight{};
    matrix_extents matrix{};
    std::size_t next_a = 0, next_other = 0;
    standing stands{};
    std::size_t registers = 0;

    /// Whether what was asked for is done when the call returns, in the host's memory.
    static constexpr bool stands_in_host = Kernels::is_host && !requires(Kernels const& k) {
        k.as_one([] {});
    };

    /// What a row of that width is, if it is matrix values.
    void find_matrices(plan_view const& p, int width, sizes const& n) {
        width_entry const& e = p.widths[width];
        stands.groups = p.extent(e.groups, n);
        stands.rows = stands.groups == 0 ? 0 : p.extent(e.rows, n) / stands.groups;
        stands.columns = stands.groups == 0 ? 0 : p.extent(e.columns, n) / stands.groups;
        of_matrices = true;
    }
    /// The numbers of a matrix value lie side by side.
    void require_whole(strided_view<S> const& v, bool per_row, lies how) const {
        if (of_matrices && !per_row && how == lies::as_wide && v.width < v.columns &&
            v.width % std::max<std::size_t>(stands.matrix(), 1) != 0)
            fail<std::logic_error>({"a plan lays a matrix value in pieces; this is a fault of the planner"});
    }
    /// Of a sum over time.
    void require_flat() const {
        if (!is_flat && over_time)
            fail<std::logic_error>({"a sum over time of the plan reads what is not kept over time; this is a "
                                    "fault of the planner"});
    }
    /// Whether groups of a and of `other`, of so many columns each, can be asked for at once.
    void find_groups(std::size_t of_a, strided_view<S> const& other, std::size_t of_other) {
        if constexpr (has_groups<Kernels, S>)
            as_groups = matrix.groups > 1 && a.has_parts(matrix.groups, of_a, next_a) &&
                        other.has_parts(matrix.groups, of_other, next_other);
    }
    /// Of a product, or an outer product with `other`, whose left side has that width: whether it is matrix
    /// values, of which each row is one of the product.
    void find_rows(plan_view const& p, int width, strided_view<S> const& other, sizes const& n) {
        if (!p.is_matrix(width))
            return;
        keys = p.extent(p.widths[width].rows, n) / matrix.groups;
        if (a.width < a.columns || other.width < other.columns)
            fail<std::logic_error>({"a plan lays a matrix value in pieces; this is a fault of the planner"});
    }
    /// How the vector of a repeat or a fold stands in the matrix value.
    [[gnu::cold]] void find_standing(graph_view g, plan_view p, sizes const& n) {
        if constexpr (!stands_in_host && !has_standing<Kernels, S>)
            fail<std::invalid_argument>(
                {"a cell with matrices as values expects kernels with stand(), but those of "
                 "the backend have none; see backend/kernels.hpp"});
        node const& of = g[what->node];
        bool const is_fold = what->kind == task_kind::fold;
        std::size_t const vector = (is_fold ? c : a).columns, all = (is_fold ? a : c).columns;
        stands.in_columns = !of.stands(equation::stands::as_row);
        stands.groups = p.extent(of.groups, n);
        std::size_t const along = vector / stands.groups, across = vector == 0 ? 0 : all / vector;
        stands.rows = stands.in_columns ? along : across;
        stands.columns = stands.in_columns ? across : along;
    }
    /// A repeat or a fold of time step t, in so many rows.
    [[gnu::noinline]] void stand([[maybe_unused]] Kernels const& with, std::size_t t,
                                 std::size_t count) const {
        bool const is_fold = what->kind == task_kind::fold;
        using operand = typename block_frame<S>::operand;
        operand const from_a{a.at(t), a.row, a.width, a.group}, to_c{c.at(t), c.row, c.width, c.group};
        if constexpr (has_standing<Kernels, S>)
            with.template stand<S>(is_fold, stands, count, from_a, to_c);
        else if constexpr (stands_in_host)
            sluice::stand<S>(is_fold, stands, 0, count * stands.groups, from_a, to_c);
    }

    /// Whether it is a block, or a product that finds all at the same places every second step.
    bool repeats() const {
        return what->kind == task_kind::block ||
               (what->kind == task_kind::product && a.repeats() && c.repeats());
    }
    /// Of a block, of so many rows, whose operands those are.
    block_frame<S> frame(std::size_t rows, typename block_frame<S>::operand const* operands,
                         std::size_t const* all_counts, S* kept, std::size_t kept_row) const {
        block_frame<S> made{.loads = operands,
                            .stores = operands + loads,
                            .rows = rows,
                            .columns = columns,
                            .piece = piece,
                            .counts = all_counts + counts,
                            .kept = kept,
                            .kept_row = kept_row};
        if (of_matrices)
            made.matrices = stands;
        return made;
    }
    /// How many columns of a group a and c have in a product.
    std::size_t inner() const { return what->transposed ? columns : matrix.rows; }
    std::size_t outer_columns() const { return what->transposed ? matrix.rows : columns; }
};

/// Where a step of constant sizes reads or stores numbers.
template <class S>
struct step_place {
    S* at;
    std::size_t stored = 0; ///< how many it stores there
};

/// What kernels find of a product; nothing.
template <class Kernels, class S>
struct found_product {
    struct type {};
};
template <class Kernels, class S>
    requires finds_products<Kernels, S>
struct found_product<Kernels, S> {
    using type = decltype(Kernels::find_product(0, 0, 0, std::declval<typename Kernels::template matrix<S>>(),
                                                matrix_part{}, static_cast<S*>(nullptr), false));
};

/// The products and blocks of a step, with all that they are asked for with: what is found once where every
/// second step finds all at the same places. To find it takes as long as a step of few units.
template <class S, class Kernels>
class ready_step {
    using operand = typename block_frame<S>::operand;
    using matrix = typename Kernels::template matrix<S>;

public:
    /// With the operands of all blocks.
    void begin(std::vector<operand> const& all) {
        asked_.clear();
        reads_.clear();
        operands_ = all;
    }
    operand* operands(std::size_t first) { return operands_.data() + first; }
    void add(int block, block_frame<S> const& frame) { asked_.push_back({.block = block, .frame = frame}); }
    /// As kernels are asked for it; the matrix stays where it is.
    void product(std::size_t m, std::size_t n, std::size_t k, S const* a, std::size_t lda, matrix const& w,
                 matrix_part const& part, S* c, std::size_t ldc, bool add) {
        asked_.push_back({m, n, k, lda, ldc, const_cast<S*>(a), c, &w, part, add});
        if constexpr (finds_products<Kernels, S>)
            asked_.back().found = Kernels::find_product(m, n, k, w, part, c, add);
    }

    /// Says that these numbers are read where `read_at` says.
    void find_reads(S const* first, std::size_t count) {
        auto const look = [&](S*& p) {
            if (is_one_of<S>(p, first, count))
                reads_.push_back({&p, p - first});
        };
        for (asked& next : asked_)
            if (next.w != nullptr)
                look(next.a);
            else
                for (auto i = next.frame.loads - operands_.data(); &operands_[at(i)] != next.frame.stores;
                     ++i)
                    look(operands_[at(i)].data);
    }
    void read_at(S const* first) {
        for (read const& one : reads_)
            *one.from = const_cast<S*>(first) + one.at;
    }

    void run(Kernels const& kernels, plan_view const& of, block_runner<S, Kernels> run_block) const {
        for (asked const& next : asked_)
            if (next.w == nullptr)
                run_block(kernels, of, next.block, next.frame);
            else if (!run_found(next))
                kernels.product(next.m, next.n, next.k, next.a, next.lda, *next.w, next.part, next.c,
                                next.ldc, next.add);
    }

private:
    struct asked {
        std::size_t m = 0, n = 0, k = 0, lda = 0, ldc = 0;
        S* a = nullptr;
        S* c = nullptr;
        matrix const* w = nullptr; ///< of a product
        matrix_part part{};
        bool add = false;
        int block = 0;
        block_frame<S> frame{};
        typename found_product<Kernels, S>::type found{};
    };
    struct read {
        S** from;
        std::ptrdiff_t at;
    };
    static bool run_found([[maybe_unused]] asked const& product) {
        if constexpr (finds_products<Kernels, S>)
            if (product.found) {
                product.found->run(product.a);
                return true;
            }
        return false;
    }
    static std::size_t at(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

    std::vector<asked> asked_{};
    std::vector<operand> operands_{};
    std::vector<read> reads_{};
};

} // namespace sluice
