// SPDX-License-Identifier: BSL-1.0
// Pointwise blocks as the kernels see them: a program that is known to the compiler, and a frame that says at
// run time where its operands lie.
#pragma once

#include <array>
#include <cstddef>
#include <sluice/core/arithmetic.hpp>
#include <sluice/plan/block_walk.hpp>
#include <utility>

namespace sluice {

/// A matrix value [groups, rows, columns], and how a vector stands in it: [groups, rows] in its columns,
/// [groups, columns] in its rows.
struct standing {
    bool in_columns = false;
    std::size_t groups = 1;
    std::size_t rows = 1;    ///< of a group
    std::size_t columns = 1; ///< of a group

    /// Numbers of a group: of the matrix, and of the vector.
    std::size_t matrix() const { return rows * columns; }
    std::size_t vector() const { return in_columns ? rows : columns; }
    /// The number of an operand that belongs to number k of the matrix.
    std::size_t index(lies how, std::size_t k) const {
        return how == lies::as_wide      ? k
               : how == lies::in_columns ? k / columns
                                         : k / matrix() * columns + k % columns;
    }
};

/// The rows that a block works on, and where its operands lie. Their data and `kept` are in the backend's
/// memory; all else is the host's, and may go when the call returns. A store may lie where a load of the same
/// columns does: each number is read before it is written. So it is with a vector in the rows of a matrix
/// value and the sums over the rows, which are stored after all of them.
template <class S>
struct block_frame {
    struct operand {
        S* data = nullptr; ///< row 0 of the time step
        std::size_t row = 0;
        std::size_t width = 1;
        std::size_t group = 0;
        /// What is loaded where there is no data: a setting that is not kept as an S.
        arithmetic_of<S> number{};

        S* at(std::size_t r, std::size_t column) const { return data + r * row + offset(column); }
        /// The number of a row that all its columns have.
        arithmetic_of<S> number_at(std::size_t r) const {
            if constexpr (!is_own_arithmetic<S>)
                if (data == nullptr)
                    return number;
            return widened(*at(r, 0));
        }
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
    standing matrices{};                 ///< what a row of matrix values is
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
    static constexpr block_walk walk{Holder::plan, K};
    static constexpr int loads = walk.loads.count;
    static constexpr int codes = walk.code.count;
    static constexpr int stores = walk.stores.count;
    static constexpr int stages = walk.stages;
    static constexpr int registers = walk.registers();
    static constexpr bool is_elementwise = walk.is_elementwise();
    static constexpr bool has_standing = walk.has_standing();

    static constexpr instruction const& code(int i) { return walk.code[i]; }
    static constexpr int operand(int i, int k) { return walk.operand(i, k); }
    static constexpr lies load_lies(int i) { return walk.loads[i].how; }
    static constexpr lies store_lies(int i) { return walk.stores[i].how; }
    static constexpr int stored(int i) { return walk.stores[i].from; }
    static constexpr bool is_store_per_row(int i) { return walk.stores[i].per_row; }
    static constexpr bool is_row_function(int r) { return walk.is_row_function(r); }
    /// Whether a stage runs instruction i at that moment.
    static constexpr bool runs(int i, moment when, int stage) { return walk.runs(i, when, stage); }

private:
    static constexpr auto uses = [] {
        std::array<register_use, static_cast<std::size_t>(registers) + 1> result{};
        walk.find_uses(result.data());
        return result;
    }();
    static constexpr view<register_use> all_uses{uses.data(), registers};

public:
    /// A register that has one number for all columns of a row.
    static constexpr bool is_per_row(int r) { return all_uses[r].per_row; }
    static constexpr int stage_of(int r) { return all_uses[r].first; }
    static constexpr int last_of(int r) { return all_uses[r].last; }
    static constexpr bool is_read_later(int r) { return all_uses[r].is_read_later(); }
    static constexpr int stage_of_store(int i) { return walk.stage_of_store(i, all_uses); }
    static constexpr bool has_columns(int stage) { return walk.has_columns(stage, all_uses); }
};

/// The first block of a plan that runs as block k does: those of a deep cell are alike, level by level.
constexpr int first_alike(plan_view const& p, int k) {
    block_walk const walk(p, k);
    int first = 0;
    while (first < k && !walk.is_like(block_walk(p, first)))
        ++first;
    return first;
}

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
    static constexpr function table[] = {
        &run_program<block_program<Holder, first_alike(Holder::plan, K)>, S, Kernels>..., nullptr};
    table[k](kernels, frame);
}
} // namespace detail

/// Runs block k of `Holder::plan`, each with a kernel of its own, or that of an earlier block which does the
/// same.
template <class Holder, class S, class Kernels>
void run_compiled_block(Kernels const& kernels, plan_view const&, int k, block_frame<S> const& frame) {
    detail::run_compiled<Holder, S>(kernels, k, frame,
                                    std::make_integer_sequence<int, Holder::plan.blocks.size()>{});
}

} // namespace sluice
