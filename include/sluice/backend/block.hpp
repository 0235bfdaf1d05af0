// SPDX-License-Identifier: BSL-1.0
// Pointwise blocks as the kernels see them: a program that is known to the compiler, and a frame that says at
// run time where its operands lie.
#pragma once

#include <array>
#include <cstddef>
#include <sluice/core/arithmetic.hpp>
#include <sluice/plan/plan.hpp>
#include <utility>

namespace sluice {

/// The rows that a block works on, and where its operands lie. Their data and `kept` are in the backend's
/// memory; all else is the host's, and may go when the call returns.
template <class S>
struct block_frame {
    struct operand {
        using number_type = S;

        S* data = nullptr; ///< row 0 of the time step
        std::size_t row = 0;
        std::size_t width = 1;
        std::size_t group = 0;
        /// What is loaded where there is no data: a setting that is not kept as an S.
        arithmetic_of<S> number{};

        S* at(std::size_t r, std::size_t column) const { return data + r * row + offset(column); }
        /// How far a column is from the first one.
        std::size_t offset(std::size_t column) const {
            return column < width ? column : column / width * group + column % width;
        }
        /// How far a column is from that so many before it, of which each lies beside the next.
        std::size_t behind(std::size_t column, std::size_t before) const {
            return column < width    ? before
                   : width == before ? group
                                     : offset(column) - offset(column - before);
        }
    };
    operand const* loads = nullptr;
    operand const* stores = nullptr;
    std::size_t rows = 0;
    std::size_t columns = 1;
    std::size_t piece = 1;               ///< columns that lie side by side in all operands
    std::size_t const* counts = nullptr; ///< of each instruction: how many features it means
    S* kept = nullptr; ///< memory for a row of each register: elements that wait for a reduction
    std::size_t kept_row = 0;
};

/// Columns of a row in `kept`: after the last there is room for a SIMD batch of any machine.
constexpr std::size_t padded(std::size_t columns) {
    return (columns / 64 + 2) * 64;
}

/// How a block is run.
template <class S, class Kernels>
using block_runner = void (*)(Kernels const&, plan_view const&, int, block_frame<S> const&);

/// Block K of `Holder::plan`, whose functions are `Holder::operations`. All that a kernel may ask of it is a
/// constant.
template <class Holder, int K>
struct block_program {
    using operations = typename Holder::operations;

    static constexpr auto const& plan = Holder::plan;
    static constexpr int block = K;
    static constexpr int loads = Holder::plan.blocks[K].loads.count;
    static constexpr int codes = Holder::plan.blocks[K].code.count;
    static constexpr int stores = Holder::plan.blocks[K].stores.count;
    static constexpr int stages = Holder::plan.blocks[K].stages;
    static constexpr int registers = loads + codes;

    static constexpr instruction code(int i) {
        return Holder::plan.code[Holder::plan.blocks[K].code.first + i];
    }
    static constexpr int operand(int i, int k) { return Holder::plan.registers[code(i).operands.first + k]; }
    static constexpr int stored(int i) {
        return Holder::plan.stores[Holder::plan.blocks[K].stores.first + i].from;
    }
    static constexpr bool is_store_per_row(int i) {
        return Holder::plan.stores[Holder::plan.blocks[K].stores.first + i].per_row;
    }
    /// A register that has one number for all columns of a row.
    static constexpr bool is_per_row(int r) {
        return r < loads ? Holder::plan.loads[Holder::plan.blocks[K].loads.first + r].per_row
                         : code(r - loads).per_row || code(r - loads).kind == op::reduce;
    }

private:
    struct stage_range {
        int first = 0; ///< the stage in which a register gets its value
        int last = 0;  ///< the last stage that reads it
    };
    static constexpr auto life = [] {
        std::array<stage_range, static_cast<std::size_t>(registers) + 1> result{};
        auto const at = [](int r) { return static_cast<std::size_t>(r); };
        for (int r = 0; r < loads; ++r)
            result[at(r)].first = stages - 1;
        for (int i = 0; i < codes; ++i) {
            int const stage = code(i).stage;
            bool const of_row = sluice::is_row_function(code(i).kind);
            int const read = of_row ? stage + 1 : stage; // after the stage: its operand is kept so long
            result[at(loads + i)] = {read, read};
            for (int k = 0; k < code(i).operands.count; ++k) {
                stage_range& of = result[at(operand(i, k))];
                of.first = operand(i, k) < loads && stage < of.first ? stage : of.first;
                of.last = read > of.last ? read : of.last;
            }
        }
        return result;
    }();

public:
    static constexpr int stage_of(int r) { return life[static_cast<std::size_t>(r)].first; }
    /// A value for each column, made of a kept row when a stage has passed over it, and kept for the stages
    /// after.
    static constexpr bool is_row_function(int r) {
        return r >= loads && sluice::is_row_function(code(r - loads).kind);
    }
    /// Whether the element is read again in a stage after its own, and so has to be kept.
    static constexpr bool is_read_later(int r) { return !is_per_row(r) && last_of(r) > stage_of(r); }
    static constexpr int last_of(int r) { return life[static_cast<std::size_t>(r)].last; }
    /// Whether stage s has to look at every column.
    static constexpr bool has_columns(int s) {
        for (int r = 0; r < registers; ++r)
            if (!is_per_row(r) && stage_of(r) == s)
                return true;
        for (int i = 0; i < stores; ++i)
            if (!is_store_per_row(i) && is_per_row(stored(i)) && s == stages - 1)
                return true;
        for (int i = 0; i < codes; ++i)
            if (code(i).kind == op::reduce && code(i).stage == s)
                return true;
        return false;
    }
};

/// Stands for a program where a concept asks whether there is a kernel.
struct any_program {};

namespace detail {
template <class Program, class S, class Kernels>
void run_program(Kernels const& kernels, block_frame<S> const& frame) {
    kernels.template pointwise<Program>(frame);
}
template <class Holder, class S, class Kernels, int... K>
void run_compiled(Kernels const& kernels, int k, block_frame<S> const& frame,
                  std::integer_sequence<int, K...>) {
    using function = void (*)(Kernels const&, block_frame<S> const&);
    static constexpr function table[] = {&run_program<block_program<Holder, K>, S, Kernels>..., nullptr};
    table[k](kernels, frame);
}
} // namespace detail

/// Runs block k of `Holder::plan`, each with a kernel of its own.
template <class Holder, class S, class Kernels>
void run_compiled_block(Kernels const& kernels, plan_view const&, int k, block_frame<S> const& frame) {
    detail::run_compiled<Holder, S>(kernels, k, frame,
                                    std::make_integer_sequence<int, Holder::plan.blocks.size()>{});
}

} // namespace sluice
