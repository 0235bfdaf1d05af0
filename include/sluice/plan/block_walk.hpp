// SPDX-License-Identifier: BSL-1.0
// The walk over a block's instructions. Interpreters, SIMD kernels and the printers of kernels run a row in
// the same order, each in its own way:
//
//   each stage:   before_columns   what has one number for the row;  reductions start
//                 each_column      elements;  reductions take the column in
//                 after_columns    reductions are there;  functions of the whole row
//
// All answers are constant expressions where the plan is one. The uses of registers are found once, and the
// caller keeps them.
#pragma once

#include <bit>
#include <cstdint>
#include <sluice/plan/plan.hpp>
#include <stdexcept>

namespace sluice {

/// What an instruction is to an executor.
enum class instruction_kind : unsigned char {
    constant,  ///< a number of the equations
    count,     ///< how many features there are
    copy,      ///< its operand
    function,  ///< of its operands
    reduction, ///< of all columns, to one number of the row
    groups,    ///< a reduction within each group of columns, in the place of each of them
    scan,      ///< a number for each column, made of it and of all before it, or after it
};

constexpr instruction_kind kind_of(instruction const& i) {
    switch (i.kind) {
    case op::number:
        return instruction_kind::constant;
    case op::features:
        return instruction_kind::count;
    case op::spread:
        return instruction_kind::copy;
    case op::pointwise:
        return instruction_kind::function;
    case op::reduce:
        return instruction_kind::reduction;
    case op::reduce_groups:
        return instruction_kind::groups;
    case op::scan:
        return instruction_kind::scan;
    default:
        throw std::logic_error("sluice: a block of a plan has an instruction that no block can run");
    }
}

/// When in its stage an instruction is run.
enum class moment : unsigned char {
    before_columns, ///< once: it has one number for the row
    each_column,    ///< each column by itself
    over_columns,   ///< a reduction: it starts before the columns, takes each in, and is there after them
    after_columns,  ///< a function of the whole row: a number for each column
};

constexpr moment moment_of(instruction const& i) {
    return is_row_function(i.kind) ? moment::after_columns
           : waits_for_row(i.kind) ? moment::over_columns
           : i.per_row             ? moment::before_columns
                                   : moment::each_column;
}

/// A register, and the stages in which it is in use.
struct register_use {
    bool per_row = false; ///< it has one number for all columns of a row
    int first = 0;        ///< the stage in which it gets its value
    int last = 0;         ///< the last stage that reads it

    /// Whether the element is read again in a stage after its own, and so has to be kept.
    constexpr bool is_read_later() const { return !per_row && last > first; }
};

/// A block of a plan: its own parts of the plan's lists.
struct block_walk {
    view<block_load> loads;
    view<instruction> code;
    view<block_store> stores;
    view<int> operands; ///< of the whole plan
    int stages;

    constexpr block_walk(plan_view const& p, int k)
        : loads(p.loads.part(p.blocks[k].loads.first, p.blocks[k].loads.count)),
          code(p.code.part(p.blocks[k].code.first, p.blocks[k].code.count)),
          stores(p.stores.part(p.blocks[k].stores.first, p.blocks[k].stores.count)), operands(p.registers),
          stages(p.blocks[k].stages) {}

    constexpr int registers() const { return loads.count + code.count; }
    /// The register that instruction i reads in the place k.
    constexpr int operand(int i, int k) const { return operands[code[i].operands.first + k]; }

    /// Whether register r has one number for all columns of a row.
    constexpr bool is_per_row(int r) const {
        if (r < loads.count)
            return loads[r].per_row;
        moment const when = moment_of(code[r - loads.count]);
        return when == moment::before_columns || when == moment::over_columns;
    }
    /// Whether register r has a value for each column that is made of a whole row. It is there in the stages
    /// after its own.
    constexpr bool is_row_function(int r) const {
        return r >= loads.count && moment_of(code[r - loads.count]) == moment::after_columns;
    }

    /// Whether a stage runs instruction i at that moment.
    constexpr bool runs(int i, moment when, int stage) const {
        return code[i].stage == stage && moment_of(code[i]) == when;
    }
    /// Calls f(i) for each instruction that a stage runs at that moment, in their order.
    template <class F>
    constexpr void for_each(moment when, int stage, F f) const {
        for (int i = 0; i < code.count; ++i)
            if (runs(i, when, stage))
                f(i);
    }
    /// Whether a stage runs an instruction at that moment.
    constexpr bool has(moment when, int stage) const {
        bool found = false;
        for_each(when, stage, [&](int) { found = true; });
        return found;
    }

    /// Whether a kernel of the other block does what one of this block does. Where operands lie, and how many
    /// features an instruction means, it is told at run time.
    constexpr bool is_like(block_walk const& other) const {
        if (loads.count != other.loads.count || code.count != other.code.count ||
            stores.count != other.stores.count || stages != other.stages)
            return false;
        for (int k = 0; k < loads.count; ++k)
            if (loads[k].per_row != other.loads[k].per_row || loads[k].how != other.loads[k].how)
                return false;
        for (int k = 0; k < stores.count; ++k)
            if (stores[k].from != other.stores[k].from || stores[k].per_row != other.stores[k].per_row ||
                stores[k].how != other.stores[k].how)
                return false;
        for (int i = 0; i < code.count; ++i) {
            instruction const &one = code[i], &two = other.code[i];
            if (one.kind != two.kind || one.function != two.function || one.per_row != two.per_row ||
                one.stage != two.stage || one.operands.count != two.operands.count ||
                std::bit_cast<std::uint64_t>(one.value) != std::bit_cast<std::uint64_t>(two.value))
                return false;
            for (int k = 0; k < one.operands.count; ++k)
                if (operand(i, k) != other.operand(i, k))
                    return false;
        }
        return true;
    }

    /// Whether an instruction needs a whole row.
    constexpr bool waits_for_row() const {
        for (instruction const& i : code)
            if (sluice::waits_for_row(i.kind))
                return true;
        return false;
    }
    /// How many values with a number for each column it reads, and how many it writes.
    constexpr int wide_loads() const {
        int count = 0;
        for (block_load const& load : loads)
            count += load.is_wide();
        return count;
    }
    constexpr int wide_stores() const {
        int count = 0;
        for (block_store const& store : stores)
            count += !store.per_row && store.how == lies::as_wide;
        return count;
    }
    /// Whether vectors stand in its matrix values, or are sums over them.
    constexpr bool has_standing() const {
        for (block_load const& load : loads)
            if (load.how != lies::as_wide)
                return true;
        for (block_store const& store : stores)
            if (store.how != lies::as_wide)
                return true;
        return false;
    }
    /// Whether all that is stored is computed column by column, each by itself.
    constexpr bool is_elementwise() const {
        for (block_store const& store : stores)
            if (store.per_row)
                return false;
        return !waits_for_row() && !has_standing();
    }

    // Where elements are kept from stage to stage:

    /// The uses of all registers, put into the memory from `to` on.
    constexpr void find_uses(register_use* to) const {
        for (int r = 0; r < loads.count; ++r)
            to[r] = {is_per_row(r), stages - 1, 0};
        for (int i = 0; i < code.count; ++i) {
            int const r = loads.count + i, stage = code[i].stage;
            int const there = is_row_function(r) ? stage + 1 : stage; // until then its operand is kept
            to[r] = {is_per_row(r), there, there};
            for (int k = 0; k < code[i].operands.count; ++k) {
                register_use& of = to[operand(i, k)];
                of.first = operand(i, k) < loads.count && stage < of.first ? stage : of.first;
                of.last = there > of.last ? there : of.last;
            }
        }
    }
    /// The stage in which store i is made for each column: a number of the row has to be there.
    constexpr int stage_of_store(int i, view<register_use> uses) const {
        register_use const& of = uses[stores[i].from];
        return of.per_row ? stages - 1 : of.first;
    }
    /// Whether a stage has to look at every column.
    constexpr bool has_columns(int stage, view<register_use> uses) const {
        for (register_use const& of : uses)
            if (!of.per_row && of.first == stage)
                return true;
        for (int i = 0; i < stores.count; ++i)
            if (!stores[i].per_row && stage_of_store(i, uses) == stage)
                return true;
        return has(moment::over_columns, stage);
    }
};

/// Where a node lies, or the value that it is a slice of where it has no place; in no buffer if neither has.
constexpr placement place_of(plan_view const& p, graph_view g, int node) {
    while (p.places_of[node].count == 0 && g[node].kind == op::slice)
        node = g.operand(node);
    return p.places_of[node].count == 0 ? placement{} : p.places[p.places_of[node].first];
}

/// Whether a task writes into a buffer.
constexpr bool writes(plan_view const& p, task const& t, int buffer) {
    if (t.kind == task_kind::outer)
        return false;
    if (t.kind != task_kind::block)
        return p.places[p.places_of[t.node].first].buffer == buffer;
    for (block_store const& s : block_walk(p, t.block).stores)
        if (s.to.buffer == buffer)
            return true;
    return false;
}

/// Whether a buffer is written step by step.
constexpr bool is_in_loop(plan_view const& p, int buffer) {
    for (task const& t : p.tasks)
        if (t.when == phase::loop && writes(p, t, buffer))
            return true;
    return false;
}

} // namespace sluice
