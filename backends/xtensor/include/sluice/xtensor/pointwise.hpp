// SPDX-License-Identifier: BSL-1.0
// The kernel of a pointwise block: its program on batches of elements, one row after the other.
//
//   for each row:    per_row loads
//     each stage:    per_row instructions;  reductions start
//       each batch:  loads, instructions, stores;  reductions take the batch in
//                    reductions fold their lanes;  functions of whole rows are made of kept ones
//                    per_row stores
//
// Where there are registers for them, two batches run together: while one waits for the results of its activations, the
// machine computes the other's.
//
// The rest of a row, less than a batch, is run by the same code on a copy that is a full batch, so that an
// element does not depend on where it stands. What a later stage needs again waits in a row of `kept`.
#pragma once

#include <sluice/lower/block.hpp>
#include <sluice/xtensor/instruction.hpp>
#include <sluice/xtensor/simd.hpp>

namespace sluice::xtensor {

template <class Program, class S>
class pointwise_kernel {
    using batch = typename simd<S>::type;
    static constexpr std::size_t lanes = simd<S>::lanes;
    static constexpr std::size_t together = simd<S>::registers == 32 ? 2 : 1; ///< batches that run so
    static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
    using registers = std::array<batch, at(Program::registers) + 1>;
    using frame = block_frame<S>;

    /// Where a batch of elements is read and written.
    struct elements {
        std::array<S const*, at(Program::loads) + 1> in;
        std::array<S*, at(Program::stores) + 1> out;
        S* kept;
        std::size_t column; ///< counted from there
        std::size_t count;  ///< that are valid: all lanes, or the rest of a row
    };

    using with = instructions<Program, S>;
    template <int Count, class F>
    static void for_each(F f) {
        for_each_number<Count>(f);
    }

    /// Instruction I, unless it is a reduction, of these registers.
    template <int I>
    static batch compute(frame const& f, registers const& row, registers const& element) {
        return simd<S>::rounded(with::template compute<I>(f.counts, [&](auto r) -> batch const& {
            return Program::is_per_row(r) ? row[at(r)] : element[at(r)];
        }));
    }
    template <int I, int K>
    static batch const& operand(registers const& row, registers const& element) {
        constexpr int r = Program::operand(I, K);
        return Program::is_per_row(r) ? row[at(r)] : element[at(r)];
    }

    template <int I>
    using reduction = typename with::template reduction<I>;

    template <int Stage, int I>
    static constexpr bool is_reduction = Program::code(I).kind == op::reduce&& Program::code(I).stage
                                         == Stage;

    /// Whether an element stands in a kept row when the stage begins.
    template <int Stage>
    static constexpr bool is_in_kept(int r) {
        return Program::stage_of(r) < Stage + (Program::is_row_function(r) ? 1 : 0);
    }

    /// The elements of so many batches side by side, in one stage.
    template <int Stage, std::size_t Batches = 1>
    static void run_batch(frame const& f, elements const& e, registers& row) {
        std::array<registers, Batches> all;
        auto const each = [&](auto g) {
            for (std::size_t b = 0; b < Batches; ++b)
                g(all[b], e.column + b * lanes);
        };
        for_each<Program::registers>([&](auto r) {
            if constexpr (!Program::is_per_row(r) && is_in_kept<Stage>(r) && Program::last_of(r) >= Stage)
                each([&](registers& element, std::size_t column) {
                    element[at(r)] = simd<S>::load(e.kept + at(r) * f.kept_row + column);
                });
        });
        for_each<Program::loads>([&](auto r) {
            if constexpr (!Program::is_per_row(r) && Program::stage_of(r) == Stage)
                each([&](registers& element, std::size_t column) {
                    element[at(r)] = simd<S>::load(e.in[at(r)] + column);
                });
        });
        for_each<Program::codes>([&](auto i) {
            if constexpr (is_reduction<Stage, i>)
                each([&](registers& element, std::size_t) {
                    batch z = operand<i, 0>(row, element);
                    if (e.count < lanes) {
                        std::array<S, lanes> part;
                        simd<S>::store(z, part.data());
                        std::fill(part.begin() + static_cast<std::ptrdiff_t>(e.count), part.end(),
                                  reduction<i>::template start<S>());
                        z = simd<S>::load(part.data());
                    }
                    batch& sum = row[at(Program::loads + i)];
                    sum = with::template combine<i>(sum, z);
                });
            else if constexpr (!Program::is_per_row(Program::loads + i) &&
                               !Program::is_row_function(Program::loads + i) &&
                               Program::code(i).stage == Stage)
                each([&](registers& element, std::size_t) {
                    element[at(Program::loads + i)] = compute<i>(f, row, element);
                });
        });
        for_each<Program::registers>([&](auto r) {
            if constexpr (Program::is_kept(r) && !Program::is_row_function(r) &&
                          Program::stage_of(r) == Stage)
                each([&](registers& element, std::size_t column) {
                    simd<S>::store(element[at(r)], e.kept + at(r) * f.kept_row + column);
                });
        });
        for_each<Program::stores>([&](auto i) {
            constexpr int r = Program::stored(i);
            if constexpr (!Program::is_store_per_row(i) && stage_of_store(r) == Stage)
                each([&](registers& element, std::size_t column) {
                    simd<S>::store(Program::is_per_row(r) ? row[at(r)] : element[at(r)],
                                   e.out[at(i)] + column);
                });
        });
    }
    /// A number of a row that is stored for each element is stored in the last stage.
    static constexpr int stage_of_store(int r) {
        return Program::is_per_row(r) ? Program::stages - 1 : Program::stage_of(r);
    }

    template <int Stage>
    static void run_columns(frame const& f, std::size_t r, registers& row) {
        elements e;
        for_each<Program::loads>([&](auto i) { e.in[at(i)] = f.loads[at(i)].at(r, 0); });
        for_each<Program::stores>([&](auto i) { e.out[at(i)] = f.stores[at(i)].at(r, 0); });
        for (std::size_t first = 0; first < f.columns; first += f.piece) {
            if (first > 0)
                move_on(f, e, first);
            e.kept = f.kept + first;
            e.count = lanes;
            e.column = 0;
            for (; together > 1 && e.column + together * lanes <= f.piece; e.column += together * lanes)
                run_batch<Stage, together>(f, e, row);
            for (; e.column + lanes <= f.piece; e.column += lanes)
                run_batch<Stage>(f, e, row);
            if (e.column < f.piece)
                run_rest<Stage>(f, e, f.piece - e.column, row);
        }
    }
    /// From the piece before that column to its own.
    static void move_on(frame const& f, elements& e, std::size_t column) {
        for_each<Program::loads>([&](auto i) {
            if constexpr (!Program::is_per_row(i))
                e.in[at(i)] += f.loads[at(i)].behind(column, f.piece);
        });
        for_each<Program::stores>([&](auto i) {
            if constexpr (!Program::is_store_per_row(i))
                e.out[at(i)] += f.stores[at(i)].behind(column, f.piece);
        });
    }
    template <int Stage>
    static void run_rest(frame const& f, elements const& e, std::size_t rest, registers& row) {
        std::array<std::array<S, lanes>, at(Program::loads) + 1> in{};
        std::array<std::array<S, lanes>, at(Program::stores) + 1> out;
        elements copied{.in = {}, .out = {}, .kept = e.kept + e.column, .column = 0, .count = rest};
        for_each<Program::loads>([&](auto i) {
            if constexpr (!Program::is_per_row(i) && Program::stage_of(i) == Stage)
                std::copy_n(e.in[at(i)] + e.column, rest, in[at(i)].data());
            copied.in[at(i)] = in[at(i)].data();
        });
        for_each<Program::stores>([&](auto i) { copied.out[at(i)] = out[at(i)].data(); });
        run_batch<Stage>(f, copied, row);
        for_each<Program::stores>([&](auto i) {
            if constexpr (!Program::is_store_per_row(i) && stage_of_store(Program::stored(i)) == Stage)
                std::copy_n(out[at(i)].data(), rest, e.out[at(i)] + e.column);
        });
    }

    template <int Stage>
    static void run_stage(frame const& f, std::size_t r, registers& row) {
        for_each<Program::codes>([&](auto i) {
            if constexpr (is_reduction<Stage, i>)
                row[at(Program::loads + i)] = batch(reduction<i>::template start<S>());
            else if constexpr (Program::is_per_row(Program::loads + i) && Program::code(i).stage == Stage)
                row[at(Program::loads + i)] = compute<i>(f, row, row);
        });
        if constexpr (Program::has_columns(Stage))
            run_columns<Stage>(f, r, row);
        for_each<Program::codes>([&](auto i) {
            if constexpr (is_reduction<Stage, i>) {
                row[at(Program::loads + i)] = with::template fold<i>(row[at(Program::loads + i)]);
            } else if constexpr (Program::is_row_function(Program::loads + i) &&
                                 Program::code(i).stage == Stage)
                with::template of_row<i>(f.counts, f.kept + at(Program::operand(i, 0)) * f.kept_row,
                                         f.kept + at(Program::loads + i) * f.kept_row, f.columns);
        });
    }

public:
    static void run(frame const& f) {
        for (std::size_t r = 0; r < f.rows; ++r) {
            registers row;
            for_each<Program::loads>([&](auto i) {
                if constexpr (Program::is_per_row(i))
                    row[at(i)] = batch(*f.loads[at(i)].at(r, 0));
            });
            for_each<Program::stages>([&](auto stage) { run_stage<stage>(f, r, row); });
            for_each<Program::stores>([&](auto i) {
                if constexpr (Program::is_store_per_row(i)) {
                    std::array<S, lanes> part;
                    simd<S>::store(row[at(Program::stored(i))], part.data());
                    *f.stores[at(i)].at(r, 0) = part[0];
                }
            });
        }
    }
};

} // namespace sluice::xtensor
