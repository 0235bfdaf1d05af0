// SPDX-License-Identifier: BSL-1.0
// One step of one row, of a cell whose sizes are constants: the tasks of its plan one after the other, each
// with extents that the compiler knows.
//
// What changes from one cell of these sizes to the next, and from step to step, are addresses only. They lie
// in the order of the tasks: the loads and then the stores of a block, the left operand and then the result
// of a product.
#pragma once

#include <array>
#include <sluice/backend/block.hpp>
#include <sluice/backend/kernels.hpp>
#include <sluice/backend/sweep_program.hpp>
#include <type_traits>

namespace sluice {

/// The addresses of a step.
template <class S, class Kernels>
struct fixed_frame {
    S* const* places = nullptr;
    S* const* copies = nullptr; ///< where what is stored in each of them is wanted besides, or null; or none
    typename Kernels::template matrix<S> const* weights = nullptr; ///< of each product
    S* kept = nullptr;                                             ///< as of a block
    bool is_odd = false;                                           ///< every second step: see plan/orders.hpp
};

/// The columns of a product that a value is, if a step has just computed it.
struct step_source {
    int task = -1;
    std::size_t column = 0;
};

template <class Holder, class S, class Kernels, sizes N>
class fixed_step {
    static constexpr auto const& plan = Holder::plan;

    static constexpr std::size_t width(int w) { return Holder::plan.extent(w, N); }
    static constexpr axes const& weight_shape(task const& t) { return Holder::graph[t.weight].shape; }
    static constexpr std::size_t rows_of(task const& t) {
        return Holder::graph.extent(weight_shape(t).rows, N);
    }
    static constexpr std::size_t columns_of(task const& t) {
        return t.columns == no_axis ? Holder::graph.extent(weight_shape(t).columns, N) : width(t.columns);
    }

public:
    using scalar = S;
    using frame = fixed_frame<S, Kernels>;

    // What a backend may ask of task I, all of it constants.

    static constexpr int tasks = Holder::plan.tasks.size();
    static constexpr task const& task_at(int i) { return Holder::plan.tasks[i]; }
    static constexpr bool is_block(int i) { return task_at(i).kind == task_kind::block; }
    static constexpr planned_block const& block_at(int i) { return Holder::plan.blocks[task_at(i).block]; }

    /// Columns of a block, or of the result of a product.
    static constexpr std::size_t columns(int i) {
        task const& t = task_at(i);
        return is_block(i) ? width(block_at(i).columns) : t.transposed ? rows_of(t) : columns_of(t);
    }
    /// Columns of a product's left operand.
    static constexpr std::size_t inner(int i) {
        task const& t = task_at(i);
        return t.transposed ? columns_of(t) : rows_of(t);
    }
    /// The part of its packed matrix, and how many rows and columns that has.
    static constexpr std::size_t first_row(int i) {
        return task_at(i).transposed ? Holder::plan.offset(task_at(i).from, N) : 0;
    }
    static constexpr std::size_t first_column(int i) {
        return task_at(i).transposed ? 0 : Holder::plan.offset(task_at(i).from, N);
    }
    static constexpr std::size_t weight_rows(int i) {
        axes const& shape = weight_shape(task_at(i));
        return Holder::graph.extent(task_at(i).transposed ? shape.columns : shape.rows, N);
    }
    static constexpr std::size_t weight_columns(int i) {
        axes const& shape = weight_shape(task_at(i));
        return Holder::graph.extent(task_at(i).transposed ? shape.rows : shape.columns, N);
    }

    /// What lies before its addresses, and how many products are before it.
    static constexpr int place(int i) {
        int count = 0;
        for (int k = 0; k < i; ++k)
            count += is_block(k) ? block_at(k).loads.count + block_at(k).stores.count : 2;
        return count;
    }
    static constexpr int product(int i) {
        int count = 0;
        for (int k = 0; k < i; ++k)
            count += !is_block(k);
        return count;
    }

    template <int I>
    using program = block_program<Holder, task_at(I).block>;
    /// As of a block_frame.
    template <int I>
    static constexpr auto counts = [] {
        std::array<std::size_t, program<I>::codes + 1> of{};
        for (int i = 0; i < program<I>::codes; ++i)
            of[static_cast<std::size_t>(i)] = Holder::plan.features(program<I>::code(i), N);
        return of;
    }();

    /// What a load of a block reads.
    static constexpr step_source source_of(int i, int load) {
        int const at = block_at(i).loads.first + load;
        step_source found{plan.loads[at].source, 0};
        for (int node = plan.loads[at].node; found.task >= 0 && Holder::graph[node].kind == op::slice;
             node = Holder::graph.operand(node))
            found.column += Holder::plan.offset(Holder::graph[node].from, N);
        return found;
    }

    /// Whether all extents are known, and nothing is in groups.
    static constexpr bool is_known = [] {
        for (task const& t : plan.tasks)
            if (t.kind == task_kind::block) {
                if (width(plan.blocks[t.block].columns) == 0 || plan.is_matrix(plan.blocks[t.block].columns))
                    return false;
            } else if (t.kind != task_kind::product || weight_shape(t).groups != no_axis || rows_of(t) == 0 ||
                       columns_of(t) == 0 || Holder::graph.is_matrix_value(t.node))
                return false;
        return true;
    }();

    /// Whether it writes copies: it does if the kernels run it as one piece of work.
    static constexpr bool writes_copies = requires(Kernels const& kernels, frame const& f) {
        kernels.template step_of_row<fixed_step>(f);
    };

    [[gnu::flatten]] static void run(Kernels const& kernels, frame const& f) noexcept(Kernels::is_host) {
        if constexpr (writes_copies)
            kernels.template step_of_row<fixed_step>(f);
        else {
            [[maybe_unused]] auto const session = detail::session_of(kernels);
            [&]<int... I>(std::integer_sequence<int, I...>) {
                (run_place<I>(kernels, f), ...);
            }
            (std::make_integer_sequence<int, tasks>{});
        }
    }

private:
    /// What stands in the place of task i. Blocks stay where they are, so that each is compiled once.
    template <int I>
    static void run_place(Kernels const& kernels, frame const& f) {
        constexpr int odd = plan.odd[I];
        if constexpr (odd == I)
            run_task<I>(kernels, f);
        else if (f.is_odd)
            run_task<odd>(kernels, f);
        else
            run_task<I>(kernels, f);
    }

    template <int I>
    static void run_task(Kernels const& kernels, frame const& f) {
        if constexpr (is_block(I))
            run_block<I>(kernels, f.places + place(I), f.kept);
        else
            run_product<I>(kernels, f);
    }
    /// Called where its place changes, and so compiled once.
    template <int I>
    [[gnu::noinline, gnu::flatten]] static void run_product(Kernels const& kernels, frame const& f) {
        constexpr std::size_t k = inner(I), n = columns(I);
        constexpr matrix_part part{0, first_row(I), first_column(I)};
        S const* const a = f.places[place(I)];
        S* const c = f.places[place(I) + 1];
        auto const& w = f.weights[product(I)];
        if constexpr (requires {
                          kernels.template product_of_row<n, k, part.row, part.column>(a, w, c, true, true);
                      })
            kernels.template product_of_row<n, k, part.row, part.column>(a, w, c, task_at(I).accumulates(),
                                                                         f.is_odd);
        else
            kernels.product(1, n, k, a, k, w, part, c, n, task_at(I).accumulates());
    }

    template <int I>
    static void run_block(Kernels const& kernels, S* const* places, S* kept) {
        using operand = typename block_frame<S>::operand;
        constexpr int loads = program<I>::loads, stores = program<I>::stores;
        operand in[loads + 1], out[stores + 1];
        for (int i = 0; i < loads; ++i)
            in[i] = {places[i], 0, columns(I), 0, {}};
        for (int i = 0; i < stores; ++i)
            out[i] = {places[loads + i], 0, columns(I), 0, {}};
        kernels.template pointwise<program<I>>(block_frame<S>{.loads = in,
                                                              .stores = out,
                                                              .rows = 1,
                                                              .columns = columns(I),
                                                              .piece = columns(I),
                                                              .counts = counts<I>.data(),
                                                              .kept = kept,
                                                              .kept_row = padded(columns(I))});
    }
};

} // namespace sluice
