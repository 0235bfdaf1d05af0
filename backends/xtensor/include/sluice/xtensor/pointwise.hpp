// SPDX-License-Identifier: BSL-1.0
// The kernel of a pointwise block: its program on batches of elements, one row after the other. Between the
// loads, which widen, and the stores, which round, all is in arithmetic, also what waits for a later stage.
//
//   for each row:    per_row loads
//     each stage:    before_columns   numbers of the row;  reductions start      (plan/block_walk.hpp)
//       each batch:  loads, instructions, stores;  reductions take the batch in
//                    after_columns    reductions fold their lanes;  functions of kept rows
//                    per_row stores
//
// Where there are registers for them, two batches run together: while one waits for the results of its
// activations, the machine computes the other's.
//
// The rest of a row, less than a batch, is run by the same code on a copy that is a full batch, so that an
// element does not depend on where it stands. What a later stage needs again waits in a row of `kept`.
#pragma once

#include <sluice/backend/block.hpp>
#include <sluice/core/unwritten.hpp>
#include <sluice/xtensor/instruction.hpp>
#include <sluice/xtensor/simd/stored.hpp>

namespace sluice::xtensor {

template <class Program, class S>
class pointwise_kernel {
    using number = arithmetic_of<S>;
    using with_numbers = simd<number>;
    using batch = typename with_numbers::type;
    static constexpr std::size_t lanes = with_numbers::lanes;
    static constexpr std::size_t together = with_numbers::registers == 32 ? 2 : 1; ///< batches that run so
    static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
    using registers = std::array<batch, at(Program::registers) + 1>;
    using frame = block_frame<S>;

    /// Where a batch of elements is read and written.
    struct elements {
        std::array<S const*, at(Program::loads) + 1> in;
        std::array<S*, at(Program::stores) + 1> out;
        number* kept;
        std::size_t column; ///< counted from there
        std::size_t count;  ///< that are valid: all lanes, or the rest of a row
    };

    using with = instructions<Program, number>;
    using all_loads = std::make_integer_sequence<int, Program::loads>;
    using all_codes = std::make_integer_sequence<int, Program::codes>;
    using all_stores = std::make_integer_sequence<int, Program::stores>;
    using all_registers = std::make_integer_sequence<int, Program::registers>;

    using operands = row_and_element<Program, registers>;
    /// Instruction I, unless it is a reduction, of these registers.
    template <int I>
    static batch compute(frame const& f, registers const& row, registers const& element) {
        return with_numbers::rounded(with::template compute<I>(f.counts, operands{row, element}));
    }

    template <int I>
    using reduction = typename with::template reduction<I>;

    /// Whether an element stands in a kept row when the stage begins.
    template <int Stage>
    static constexpr bool is_in_kept(int r) {
        return Program::stage_of(r) < Stage + (Program::is_row_function(r) ? 1 : 0);
    }

    // The steps of a stage on batches that lie side by side. They are inlined, so that `batches` is a
    // constant.

    /// Register R, where it stands in a kept row.
    template <int Stage, int R>
    [[gnu::always_inline]] static void load_kept(frame const& f, elements const& e, registers* all,
                                                 std::size_t batches) {
        if constexpr (!Program::is_per_row(R) && is_in_kept<Stage>(R) && Program::last_of(R) >= Stage)
            for (std::size_t b = 0; b < batches; ++b)
                all[b][at(R)] = with_numbers::load(e.kept + at(R) * f.kept_row + e.column + b * lanes);
    }
    template <int Stage, int R>
    [[gnu::always_inline]] static void store_kept(frame const& f, elements const& e, registers const* all,
                                                  std::size_t batches) {
        if constexpr (Program::is_read_later(R) && !Program::is_row_function(R) &&
                      Program::stage_of(R) == Stage)
            for (std::size_t b = 0; b < batches; ++b)
                with_numbers::store(all[b][at(R)], e.kept + at(R) * f.kept_row + e.column + b * lanes);
    }
    template <int Stage, int R>
    [[gnu::always_inline]] static void load(elements const& e, registers* all, std::size_t batches) {
        if constexpr (!Program::is_per_row(R) && Program::stage_of(R) == Stage)
            for (std::size_t b = 0; b < batches; ++b)
                all[b][at(R)] = stored<S>::load(e.in[at(R)] + e.column + b * lanes);
    }
    template <int Stage, int I>
    [[gnu::always_inline]] static void store(elements const& e, registers const& row, registers const* all,
                                             std::size_t batches) {
        constexpr int r = Program::stored(I);
        if constexpr (!Program::is_store_per_row(I) && Program::stage_of_store(I) == Stage)
            for (std::size_t b = 0; b < batches; ++b)
                stored<S>::store(Program::is_per_row(r) ? row[at(r)] : all[b][at(r)],
                                 e.out[at(I)] + e.column + b * lanes);
    }
    /// Instruction I of elements; of a reduction, what it adds to its row.
    template <int Stage, int I>
    [[gnu::always_inline]] static void run_code(frame const& f, elements const& e, registers& row,
                                                registers* all, std::size_t batches) {
        if constexpr (Program::runs(I, moment::over_columns, Stage))
            for (std::size_t b = 0; b < batches; ++b) {
                batch z = operands{row, all[b]}(std::integral_constant<int, Program::operand(I, 0)>{});
                if (e.count < lanes) {
                    std::array<number, lanes> part;
                    with_numbers::store(z, part.data());
                    std::fill(part.begin() + static_cast<std::ptrdiff_t>(e.count), part.end(),
                              reduction<I>::template start<number>());
                    z = with_numbers::load(part.data());
                }
                batch& sum = row[at(Program::loads + I)];
                sum = with::template combine<I>(sum, z);
            }
        else if constexpr (Program::runs(I, moment::each_column, Stage))
            for (std::size_t b = 0; b < batches; ++b)
                all[b][at(Program::loads + I)] = compute<I>(f, row, all[b]);
    }

    template <int Stage, int... R, int... Load, int... Code, int... Store>
    [[gnu::always_inline]] static void
    run_steps(frame const& f, elements const& e, registers& row, registers* all, std::size_t batches,
              std::integer_sequence<int, R...>, std::integer_sequence<int, Load...>,
              std::integer_sequence<int, Code...>, std::integer_sequence<int, Store...>) {
        if constexpr (Program::stages > 1)
            (load_kept<Stage, R>(f, e, all, batches), ...);
        (load<Stage, Load>(e, all, batches), ...);
        (run_code<Stage, Code>(f, e, row, all, batches), ...);
        if constexpr (Program::stages > 1)
            (store_kept<Stage, R>(f, e, all, batches), ...);
        (store<Stage, Store>(e, row, all, batches), ...);
    }
    /// The elements of so many batches side by side, in one stage.
    template <int Stage, std::size_t Batches = 1>
    [[gnu::always_inline]] static void run_batch(frame const& f, elements const& e, registers& row) {
        std::array<registers, Batches> all;
        run_steps<Stage>(f, e, row, all.data(), Batches, all_registers{}, all_loads{}, all_codes{},
                         all_stores{});
    }
    /// All batches before that column. It is compiled once, with its constants in registers as far as there
    /// are any.
    template <int Stage>
    [[gnu::noinline]] static void run_batches(frame const& f, elements& e, std::size_t end, registers& row) {
        for (; together > 1 && e.column + together * lanes <= end; e.column += together * lanes)
            run_batch<Stage, together>(f, e, row);
        for (; e.column + lanes <= end; e.column += lanes)
            run_batch<Stage>(f, e, row);
    }

    /// Rows in which elements wait: those of the frame, or, where these would round, a thread's own.
    static number* kept_of(frame const& f) {
        if constexpr (is_own_arithmetic<S>)
            return f.kept;
        else if constexpr (Program::stages > 1) {
            thread_local sluice::detail::unwritten<number> room;
            std::size_t const count = at(Program::registers) * f.kept_row;
            if (room.size() < count)
                room.resize(count);
            return room.data();
        } else
            return nullptr;
    }
    /// So many columns on, where elements wait at all.
    static number* behind(number* kept, std::size_t columns) {
        return Program::stages > 1 ? kept + columns : kept;
    }
    template <int Stage>
    static void run_columns(frame const& f, std::size_t r, registers& row) {
        elements e;
        number* const kept = kept_of(f);
        for (std::size_t i = 0; i < at(Program::loads); ++i)
            e.in[i] = f.loads[i].at(r, 0);
        for (std::size_t i = 0; i < at(Program::stores); ++i)
            e.out[i] = f.stores[i].at(r, 0);
        for (std::size_t first = 0; first < f.columns; first += f.piece) {
            if (first > 0)
                move_on(f, e, first, all_loads{}, all_stores{});
            e.kept = behind(kept, first);
            e.count = lanes;
            e.column = 0;
            run_batches<Stage>(f, e, f.piece, row);
            if (e.column < f.piece)
                run_rest<Stage>(f, e, f.piece - e.column, row);
        }
    }
    /// From the piece before that column to its own.
    template <int... Load, int... Store>
    static void move_on(frame const& f, elements& e, std::size_t column, std::integer_sequence<int, Load...>,
                        std::integer_sequence<int, Store...>) {
        ((Program::is_per_row(Load) ? void()
                                    : void(e.in[at(Load)] += f.loads[at(Load)].behind(column, f.piece))),
         ...);
        ((Program::is_store_per_row(Store)
              ? void()
              : void(e.out[at(Store)] += f.stores[at(Store)].behind(column, f.piece))),
         ...);
    }
    template <int Stage>
    [[gnu::noinline]] static void run_rest(frame const& f, elements const& e, std::size_t rest,
                                           registers& row) {
        run_copied<Stage>(f, e, rest, row, all_loads{}, all_stores{});
    }
    template <int Stage, int... Load, int... Store>
    static void run_copied(frame const& f, elements const& e, std::size_t rest, registers& row,
                           std::integer_sequence<int, Load...>, std::integer_sequence<int, Store...>) {
        [[maybe_unused]] std::array<std::array<S, lanes>, at(Program::loads) + 1> in{};
        std::array<std::array<S, lanes>, at(Program::stores) + 1> out;
        elements copied{.in = {in[at(Load)].data()...},
                        .out = {out[at(Store)].data()...},
                        .kept = behind(e.kept, e.column),
                        .column = 0,
                        .count = rest};
        ((!Program::is_per_row(Load) && Program::stage_of(Load) == Stage
              ? void(std::copy_n(e.in[at(Load)] + e.column, rest, in[at(Load)].data()))
              : void()),
         ...);
        run_batches<Stage>(f, copied, lanes, row);
        ((!Program::is_store_per_row(Store) && Program::stage_of_store(Store) == Stage
              ? void(std::copy_n(out[at(Store)].data(), rest, e.out[at(Store)] + e.column))
              : void()),
         ...);
    }

    /// Instruction I before the columns of the stage.
    template <int Stage, int I>
    [[gnu::always_inline]] static void begin_row(frame const& f, registers& row) {
        if constexpr (Program::runs(I, moment::over_columns, Stage))
            row[at(Program::loads + I)] = batch(reduction<I>::template start<number>());
        else if constexpr (Program::runs(I, moment::before_columns, Stage))
            row[at(Program::loads + I)] = compute<I>(f, row, row);
    }
    /// Instruction I after them.
    template <int Stage, int I>
    [[gnu::always_inline]] static void finish_row(frame const& f, registers& row) {
        if constexpr (Program::runs(I, moment::over_columns, Stage)) {
            row[at(Program::loads + I)] = with::template fold<I>(row[at(Program::loads + I)], f.piece);
        } else if constexpr (Program::runs(I, moment::after_columns, Stage))
            [&]<int... K>(std::integer_sequence<int, K...>) {
                number* const kept = kept_of(f);
                std::array<number const*, sizeof...(K)> const z{kept +
                                                                at(Program::operand(I, K)) * f.kept_row...};
                with::template of_row<I>(f.counts, z.data(), kept + at(Program::loads + I) * f.kept_row,
                                         f.columns);
            }
        (std::make_integer_sequence<int, Program::code(I).operands.count>{});
    }
    template <int Stage, int... I>
    static void run_stage(frame const& f, std::size_t r, registers& row, std::integer_sequence<int, I...>) {
        (begin_row<Stage, I>(f, row), ...);
        if constexpr (Program::has_columns(Stage))
            run_columns<Stage>(f, r, row);
        (finish_row<Stage, I>(f, row), ...);
    }

    template <int... Load, int... Stage>
    static void run_row(frame const& f, std::size_t r, std::integer_sequence<int, Load...>,
                        std::integer_sequence<int, Stage...>) {
        registers row;
        ((Program::is_per_row(Load) ? void(row[at(Load)] = batch(f.loads[at(Load)].number_at(r))) : void()),
         ...);
        (run_stage<Stage>(f, r, row, all_codes{}), ...);
        for_each_number<Program::stores>([&](auto i) {
            if constexpr (Program::is_store_per_row(i)) {
                std::array<number, lanes> part;
                with_numbers::store(row[at(Program::stored(i))], part.data());
                *f.stores[at(i)].at(r, 0) = rounded<S>(part[0]);
            }
        });
    }

public:
    static void run(frame const& f) {
        for (std::size_t r = 0; r < f.rows; ++r)
            run_row(f, r, all_loads{}, std::make_integer_sequence<int, Program::stages>{});
    }
};

} // namespace sluice::xtensor
