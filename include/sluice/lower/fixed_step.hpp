// SPDX-License-Identifier: BSL-1.0
// One step of one row, of a cell whose sizes are constants: the tasks of its plan one behind the other, each with
// extents that the compiler knows.
//
// What changes from one cell of these sizes to the next, and from step to step, are addresses only. They lie in the order
// of the tasks: the loads and then the stores of a block, the left operand and then the result of a product.
#pragma once

#include <array>
#include <sluice/lower/block.hpp>
#include <sluice/lower/kernels.hpp>
#include <type_traits>

namespace sluice {

/// The addresses of a step.
template <class S, class Kernels>
struct fixed_frame {
    S* const* places = nullptr;
    typename Kernels::template matrix<S> const* weights = nullptr; ///< of each product
    S* kept = nullptr;                                             ///< as of a block
};

template <class S, class Kernels>
using fixed_runner = void (*)(Kernels const&, fixed_frame<S, Kernels> const&);

template <class Holder, class S, class Kernels, sizes N>
class fixed_step {
    static constexpr auto const& plan = Holder::plan;
    static constexpr int tasks = Holder::plan.tasks.size();

    static constexpr std::size_t width(int w) { return Holder::plan.extent(w, N); }
    static constexpr axes const& weight_shape(task const& t) { return Holder::graph[t.weight].shape; }
    static constexpr std::size_t rows_of(task const& t) {
        return Holder::graph.extent(weight_shape(t).rows, N);
    }
    static constexpr std::size_t columns_of(task const& t) {
        return t.columns == no_axis ? Holder::graph.extent(weight_shape(t).columns, N) : width(t.columns);
    }
    static constexpr int places_of(task const& t) {
        return t.kind == task_kind::block
                   ? plan.blocks[t.block].loads.count + plan.blocks[t.block].stores.count
                   : 2;
    }

public:
    /// Whether all extents are known, and nothing is in groups.
    static constexpr bool is_known = [] {
        for (task const& t : plan.tasks)
            if (t.kind == task_kind::block) {
                if (width(plan.blocks[t.block].columns) == 0)
                    return false;
            } else if (t.kind != task_kind::product || weight_shape(t).groups != no_axis || rows_of(t) == 0 ||
                       columns_of(t) == 0)
                return false;
        return true;
    }();

    [[gnu::flatten]] static void run(Kernels const& kernels, fixed_frame<S, Kernels> const& f) {
        [&]<int... I>(std::integer_sequence<int, I...>) {
            (run_task<I>(kernels, f), ...);
        }
        (std::make_integer_sequence<int, tasks>{});
    }

private:
    struct position {
        int place = 0, product = 0;
    };
    /// What lies before the addresses of task I.
    static constexpr position before(int I) {
        position at;
        for (int i = 0; i < I; ++i) {
            at.place += places_of(plan.tasks[i]);
            at.product += plan.tasks[i].kind == task_kind::product;
        }
        return at;
    }

    template <int I>
    static void run_task(Kernels const& kernels, fixed_frame<S, Kernels> const& f) {
        static constexpr task const& t = Holder::plan.tasks[I];
        static constexpr position at = before(I);
        if constexpr (t.kind == task_kind::block)
            run_block<t.block>(kernels, f.places + at.place, f.kept);
        else {
            constexpr bool transposed = t.transposed;
            constexpr std::size_t all = rows_of(t), columns = columns_of(t);
            constexpr std::size_t from = Holder::plan.offset(t.from, N);
            constexpr matrix_part part{0, transposed ? from : 0, transposed ? 0 : from};
            constexpr std::size_t k = transposed ? columns : all, n = transposed ? all : columns;
            S const* const a = f.places[at.place];
            S* const c = f.places[at.place + 1];
            auto const& w = f.weights[at.product];
            if constexpr (requires {
                              kernels.template product_of_row<n, k, part.row, part.column>(a, w, c, true);
                          })
                kernels.template product_of_row<n, k, part.row, part.column>(a, w, c, t.accumulates());
            else
                kernels.product(1, n, k, a, k, w, part, c, n, t.accumulates());
        }
    }

    template <int K>
    static void run_block(Kernels const& kernels, S* const* places, S* kept) {
        using program = block_program<Holder, K>;
        static constexpr std::size_t columns = width(Holder::plan.blocks[K].columns);
        static constexpr auto counts = [] {
            std::array<std::size_t, program::codes + 1> of{};
            for (int i = 0; i < program::codes; ++i)
                of[static_cast<std::size_t>(i)] = Holder::plan.offset(program::code(i).columns, N);
            return of;
        }();
        using operand = typename block_frame<S>::operand;
        operand loads[program::loads + 1];
        operand stores[program::stores + 1];
        for (int i = 0; i < program::loads; ++i)
            loads[i] = {places[i], 0, columns, 0, {}};
        for (int i = 0; i < program::stores; ++i)
            stores[i] = {places[program::loads + i], 0, columns, 0, {}};
        kernels.template pointwise<program>(block_frame<S>{.loads = loads,
                                                           .stores = stores,
                                                           .rows = 1,
                                                           .columns = columns,
                                                           .piece = columns,
                                                           .counts = counts.data(),
                                                           .kept = kept,
                                                           .kept_row = padded(columns)});
    }
};

} // namespace sluice
