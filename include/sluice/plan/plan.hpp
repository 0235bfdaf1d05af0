// SPDX-License-Identifier: BSL-1.0
// The plan of a sweep: what has to be done, in which order, and where every value lies. It is a value; what
// runs it (execute/run.hpp) reads it through views and knows nothing else of the equations.
//
// The forward plan of the GRU, as print(plan) shows it:
//
//   before   product x [W_r W_u W_n]               over all time steps at once
//   loop     product h [R_r R_u]
//            block   r, u, r . h
//            product (r . h) R_n
//            block   n, next(h)
#pragma once

#include <sluice/graph/sweep.hpp>

namespace sluice {

/// Memory for values: [times, rows, columns] numbers.
struct buffer {
    int columns = no_axis; ///< a width; no_axis: one number
    bool row = true;       ///< has a row for each of the batch; false: one row
    bool tape = false;     ///< holds every time step; false: the newest only
    bool in_place = false; ///< new values are written where old ones are read (plan/in_place.hpp)
    bool replayed = false; ///< later sweeps read other steps too: they are computed again (plan/replay.hpp)
    int delay = 0;         ///< how many steps back it is read: so many more time steps are held
    int first = 0;         ///< the task that writes it first
    int last = 0;          ///< the task that reads it last
    int slot = -1;         ///< buffers of one slot share memory: their lives do not overlap
};

/// Where the value of a node lies in a buffer: a strided view of it.
///
/// Column c of a row is at `offset + c`; with groups, of `columns` of the value and `all` of the buffer,
/// at g * (all / groups) + offset / groups + c - g * (columns / groups), where g = c / (columns / groups).
struct placement {
    int buffer = -1;
    int offset = -1;      ///< the width of what lies before it, or -1 for nothing
    int groups = no_axis; ///< a width: within each of so many groups
    int delay = 0;        ///< it is the value that the buffer's result had so many steps before

    friend constexpr bool operator==(placement const&, placement const&) = default;
};

/// A part of a list.
struct range {
    int first = 0;
    int count = 0;
};

/// What a task of a plan is.
enum class task_kind : unsigned char { product, outer, total, repeat, fold, block };

/// A piece of work of one phase. Of a product-like task `node` says what is computed.
struct task {
    task_kind kind = task_kind::block;
    phase when = phase::before;
    int level = 0;
    int node = -1;        ///< of all but a block
    int block = -1;       ///< block
    unsigned serves = 0;  ///< the bits of the wanted values that depend on it
    bool replays = false; ///< it computes values again: a block, or a product of matrix values
    int sum = -1; ///< product: the sum that it is a part of, where it is added to what lies in its place

    // The right side of a product: columns [from, from + columns) of a weight, or its transpose.
    int weight = -1; ///< a node: a matrix that is made before the sweep runs
    bool transposed = false;
    int from = -1;         ///< a width
    int columns = no_axis; ///< a width

    /// Product: in a step by itself nothing but blocks read the result, by their loads' `source`: it need not
    /// be stored.
    bool stays = false;

    constexpr bool accumulates() const { return sum >= 0; }
    /// A sum over the rows of all time steps.
    constexpr bool is_sum_over_time() const { return kind == task_kind::outer || kind == task_kind::total; }
    /// One that the loop adds to, step by step.
    constexpr bool is_summed_stepwise() const { return when == phase::loop && is_sum_over_time(); }
};

/// Elementwise work on rows of one width in one pass: `program` loads, computes and stores.
struct planned_block {
    phase when = phase::before;
    int level = 0;
    int columns = no_axis; ///< a width
    bool row = true;       ///< false: a function of parameters, one row
    bool time = true;      ///< false: the same at all time steps
    unsigned serves = 0;
    int stages = 1; ///< passes over a row: one more after each reduction that something else waits for
    range loads{};
    range code{};
    range stores{};
};

/// How an operand lies in the columns of its block. Those of a matrix value are its rows, one after the
/// other.
enum class lies : unsigned char {
    as_wide,    ///< a number for each column
    in_columns, ///< a vector in the columns of each matrix: a number for each of its rows
    in_rows,    ///< a vector in the rows of each matrix: a number for each of its columns
};

/// A register of a block that comes from memory. Registers are numbered loads first, then code.
struct block_load {
    int node = -1;
    bool per_row = false; ///< has no features: one number for all columns of a row
    lies how = lies::as_wide;
    int source = -1; ///< the product that has made it in the same step: a task, or -1

    constexpr bool is_wide() const { return !per_row && how == lies::as_wide; }
};

/// A register of a block that is computed.
///
/// Elements are computed for every column; what has no features (`per_row`) once for a row, at the beginning
/// of its stage. A reduction, or a function of a whole row, of stage s runs over the columns in stage s, and
/// its result can be used from stage s + 1 on. Every function of a whole row is stored.
struct instruction {
    op kind =
        op::number;    ///< number, features, pointwise, reduce, spread (a copy), or a function of a whole row
    int function = -1; ///< pointwise, reduce, reduce_groups, scan: row of the table of operations
    range operands{};  ///< registers, in the plan's `registers`
    bool per_row = false;
    int stage = 0;
    int columns = no_axis; ///< features, reduce_groups: a width
    int groups = no_axis;  ///< features, reduce_groups: of each of so many groups, a width
    double value = 0;      ///< number
};

/// A register that has to be written to memory.
struct block_store {
    int from = -1; ///< register
    placement to{};
    bool per_row = false;     ///< one number for each row
    int node = -1;            ///< whose value it is
    lies how = lies::as_wide; ///< of a vector: the sums over the columns, or rows, of each matrix
};

/// The last block of a step of the loop and the first one of the next step as one block that no task runs
/// (plan/joined.hpp). Its operands are those of `last`, then those of `first` without the states.
struct joined_blocks {
    int last = -1;
    int first = -1;
    int block = -1; ///< or -1: there is none
};

/// What is to be known of a plan at once.
struct plan_facts {
    int start = 0; ///< nodes before it were computed by earlier sweeps
    time_order way = time_order::forward;
    bool has_product_in_loop = false; ///< false: a recurrence of elementwise functions only
    joined_blocks joined{};
};

/// Of 16 lists: in a constant expression nvcc 13 does not destroy more of them.
template <template <class> class List>
struct basic_plan : basic_widths<List> {
    using view_type = basic_plan<view>;

    using basic_widths<List>::widths,
        basic_widths<List>::parts; // of the graph, and of what the plan puts together

    List<task> tasks{}; ///< in their order
    List<planned_block> blocks{};
    List<block_load> loads{};
    List<instruction> code{};
    List<int> registers{};
    List<block_store> stores{};
    List<buffer> buffers{};
    List<placement> places{};
    List<range> places_of{}; ///< node -> its part of `places`; it is read from the first
    List<carried_pair> carried{};
    List<wanted_value> wanted{};
    List<int> weights{}; ///< nodes: the matrices that products multiply with
    List<int> saved{};   ///< nodes of earlier sweeps that this one reads
    List<int> odd{};     ///< of every second step by itself: which task it runs in the place of each
    plan_facts about{};

    constexpr basic_plan() = default;
    constexpr explicit basic_plan(plan_facts const& f) : about(f) {}
    template <class F>
    constexpr decltype(auto) lists(F&& f) {
        return f(tasks, blocks, loads, code, registers, stores, buffers, places, places_of, carried, wanted,
                 weights, saved, odd, widths, parts);
    }
    constexpr plan_facts facts() const { return about; }
    /// Whether rows of that width are matrix values.
    constexpr bool is_matrix(int width) const { return width >= 0 && widths[width].is_product(); }
    /// How many features an instruction means: of a row, or of a group.
    constexpr std::size_t features(instruction const& i, sizes const& n) const {
        return this->offset(i.columns, n) / this->extent(i.groups, n);
    }
};

using plan = basic_plan<list>;
using plan_view = basic_plan<view>;

} // namespace sluice
