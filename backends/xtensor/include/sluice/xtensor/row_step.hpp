// SPDX-License-Identifier: BSL-1.0
// A step of one row whose extents are few and known to the compiler (execute/fixed_step.hpp): straight-line
// code, in which the results of products go to the blocks in registers.
//
//   product    C[n] = (s_0 + s_1) + (s_2 + s_3),    s_p = the sum of A[k] W[k, n] over k = p, p + 4, ...
//
// The sums of a product are split into as many parts as registers hold, so that their order is not that of
// tiles.hpp. A short product first sums the columns with which the next block begins. For a GRU these are the
// columns of r: its sigmoid takes as long as the sums of u and n. Batches are as wide as the columns of all
// that they meet are a multiple of.
//
// To set the processor's control word for denormals.hpp takes as long as a small step. It is set for a step
// only that multiplies by a denormal; in the others, results that are denormal are stored as zeros.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <numeric>
#include <sluice/execute/fixed_step.hpp>
#include <sluice/xtensor/denormals.hpp>
#include <sluice/xtensor/instruction.hpp>
#include <sluice/xtensor/panels.hpp>
#include <sluice/xtensor/simd/activations.hpp>
#include <tuple>

namespace sluice::xtensor {

template <class Step, class S, class Accuracy>
class row_step {
    static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
    static constexpr bool is_block(int i) { return Step::is_block(i); }

    /// Lanes of the batches of a task.
    static constexpr std::array<std::size_t, at(Step::tasks) + 1> lanes = [] {
        std::array<std::size_t, at(Step::tasks) + 1> found{};
        for (int i = 0; i < Step::tasks; ++i)
            found[at(i)] = lanes_within<S>(is_block(i) ? Step::columns(i)
                                                       : std::gcd(Step::columns(i), Step::first_column(i)));
        for (int i = 0; i < Step::tasks; ++i) // a block reads a product in batches of its own
            for (int k = 0; k < (is_block(i) ? Step::block_at(i).loads.count : 0); ++k)
                if (auto const source = Step::source_of(i, k); source.task >= 0)
                    found[at(source.task)] = lanes_within<S>(
                        std::gcd(found[at(source.task)], std::gcd(found[at(i)], source.column)));
        return found;
    }();
    static constexpr int vectors(int i) { return static_cast<int>(Step::columns(i) / lanes[at(i)]); }

    /// Of a product: no more than its sums in registers, where these are few; what is wider reads its weights
    /// from the second cache, and better as row_tile.hpp does.
    static constexpr int most_vectors = simd<S>::registers == 32 ? 8 : 12;

public:
    /// Whether there are few enough of them, and none much too narrow.
    static constexpr bool is_short = [] {
        for (int i = 0; i < Step::tasks; ++i)
            if (vectors(i) > (is_block(i) ? 4 : most_vectors) || (lanes[at(i)] == 1 && Step::columns(i) > 3))
                return false;
        return true;
    }();

    template <class Frame>
    [[gnu::flatten]] static void run(Frame const& f) {
        flushed_denormals const session(has_denormal_operand(f));
        [&]<int... I>(std::integer_sequence<int, I...>) {
            results<I...> made;
            (run_task<I>(f, made), ...);
        }
        (std::make_integer_sequence<int, Step::tasks>{});
    }

private:
    /// Which numbers of a batch, or whether a scalar, is denormal or zero.
    static auto is_tiny(auto const& z) {
        using std::abs;
        using batch = std::remove_cvref_t<decltype(z)>;
        return abs(z) < batch(std::numeric_limits<S>::min());
    }
    static auto is_denormal(auto const& z) {
        using batch = std::remove_cvref_t<decltype(z)>;
        return is_tiny(z) & (z != batch(S(0)));
    }
    static bool is_any(auto const& which) {
        if constexpr (std::integral<std::remove_cvref_t<decltype(which)>>)
            return which != 0;
        else
            return any(which);
    }

    /// Among what products multiply with. The last batch of an operand may begin in the one before it.
    template <class Frame>
    static bool has_denormal_operand(Frame const& f) {
        return [&]<int... I>(std::integer_sequence<int, I...>) {
            return (0 | ... | [&] {
                       if constexpr (is_block(I))
                           return 0;
                       else
                           return static_cast<int>(has_denormal<Step::inner(I)>(f.places[Step::place(I)]));
                   }()) != 0;
        }
        (std::make_integer_sequence<int, Step::tasks>{});
    }
    template <std::size_t Count>
    static bool has_denormal(S const* a) {
        constexpr std::size_t L = lanes_up_to<S>(Count);
        auto found = is_denormal(simd<S, L>::load(a));
        for (std::size_t k = L; k < Count; k += L)
            found = found | is_denormal(simd<S, L>::load(a + std::min(k, Count - L)));
        return is_any(found);
    }
    /// Batch v of what a step stores in a place, there and where it is wanted besides.
    template <std::size_t L, class Frame>
    [[gnu::always_inline]] static void store(Frame const& f, int place, std::size_t v,
                                             typename simd<S, L>::type const& z) {
        store<L>(z, f.places[place] + v * L);
        if (S* const copy = f.copies == nullptr ? nullptr : f.copies[place]; copy != nullptr)
            store<L>(z, copy + v * L);
    }
    template <std::size_t L>
    static void store(typename simd<S, L>::type const& z, S* to) {
        using batch = typename simd<S, L>::type;
        simd<S, L>::store(z, to);
        if (is_any(is_denormal(z))) [[unlikely]] {
            if constexpr (L == 1)
                *to = S(0);
            else
                simd<S, L>::store(select(is_tiny(z), batch(S(0)), z), to);
        }
    }

    template <int I>
    using batch_of = typename simd<S, lanes[at(I)]>::type;
    template <int I>
    using result = std::array<batch_of<I>, at(is_block(I) ? 0 : vectors(I))>;
    template <int... I>
    using results = std::tuple<result<I>...>;

    template <int I, class Frame, class Results>
    static void run_task(Frame const& f, Results& made) {
        if constexpr (is_block(I))
            run_block<I>(f, made);
        else
            run_product<I>(f, made);
    }

    /// Into how many parts sums of so many vectors are split.
    static constexpr int parts(int count) {
        int const most = static_cast<int>(simd<S>::registers) * 3 / 4;
        return 4 * count <= most ? 4 : 2 * count <= most ? 2 : 1;
    }

    /// Where the numbers of a product's matrix are, and which number is the first of batch v of row k of its
    /// part.
    static constexpr auto places(int i) {
        return panel_places<widest<S>>::of(Step::weight_rows(i), Step::weight_columns(i));
    }
    static constexpr std::size_t place(int i, std::size_t k, std::size_t v) {
        std::size_t const column = Step::first_column(i) + v * lanes[at(i)];
        return (Step::first_row(i) + k) * places(i).step + places(i)(column / widest<S>) + column % widest<S>;
    }

    template <int I, class Frame, class Results>
    static void run_product(Frame const& f, Results& made) {
        multiply<I, 0, first_batches(I)>(f, std::get<at(I)>(made));
    }
    /// Batches [First, First + Count) of a product.
    template <int I, int First, int Count, class Frame>
    static void multiply(Frame const& f, result<I>& made) {
        constexpr std::size_t L = lanes[at(I)], K = Step::inner(I);
        constexpr std::size_t P = at(parts(Count)), V = at(Count), step = places(I).step;
        using with = simd<S, L>;
        using batch = typename with::type;
        S const* const a = f.places[Step::place(I)];
        S const* const w = f.weights[Step::product(I)].panels(0);
        batch sums[P * V];
        for_each_number<static_cast<int>(P * V)>([&](auto i) { sums[at(i)] = batch(S(0)); });
        if constexpr (Step::task_at(I).accumulates())
            for_each_number<Count>(
                [&](auto v) { sums[at(v)] = with::load(f.places[Step::place(I) + 1] + at(First + v) * L); });
        auto const add = [&](std::size_t k, auto p) { // row k, which is number p after a multiple of P
            batch const x(a[k + at(p)]);
            for_each_number<Count>([&](auto v) {
                constexpr std::size_t there = place(I, at(p), at(First + v));
                auto& sum = sums[at(p) % P * V + at(v)];
                sum = with::multiply_add(x, with::load(w + there + k * step), sum);
            });
        };
        std::size_t k = 0;
        for (; k + P <= K; k += P)
            for_each_number<static_cast<int>(P)>([&](auto p) { add(k, p); });
        for_each_number<static_cast<int>(K % P)>([&](auto p) { add(K - K % P, p); });
        for_each_number<Count>([&](auto v) {
            auto& sum = made[at(First + v)];
            if constexpr (P == 4)
                sum = (sums[at(v)] + sums[V + at(v)]) + (sums[2 * V + at(v)] + sums[3 * V + at(v)]);
            else if constexpr (P == 2)
                sum = sums[at(v)] + sums[V + at(v)];
            else
                sum = sums[at(v)];
            if constexpr (!stays_in_registers(I))
                store<L>(f, Step::place(I) + 1, at(First + v), sum);
        });
    }
    static constexpr bool stays_in_registers(int i) {
        bool same = Step::task_at(i).stays;
        for (int k = i + 1; k < Step::tasks; ++k)
            for (int load = 0; is_block(k) && load < Step::block_at(k).loads.count; ++load)
                same = same && (Step::source_of(k, load).task != i || lanes[at(k)] == lanes[at(i)]);
        return same;
    }

    /// The first instruction that reads what block i loads.
    template <int I>
    static constexpr int first_use(int load) {
        using program = typename Step::template program<I>;
        for (int i = 0; i < program::codes; ++i)
            for (int k = 0; k < program::code(i).operands.count; ++k)
                if (program::operand(i, k) == load)
                    return i;
        return program::codes;
    }
    /// How many batches of product i are summed first: the columns with which the block after it begins. The
    /// others are summed while its first functions are under way. All batches, where the operand is so long
    /// that to read it twice takes longer than those functions.
    static constexpr int first_batches(int i) {
        if (!stays_in_registers(i) || i + 1 >= Step::tasks || !is_block(i + 1) || Step::inner(i) >= 32)
            return vectors(i);
        return std::clamp(static_cast<int>(Step::columns(i + 1) / lanes[at(i)]), 1, vectors(i));
    }
    /// The first instruction of block i that reads others than the first columns of the product before it.
    template <int I>
    static constexpr int rest_use() {
        int first = Step::template program<I>::codes;
        for (int load = 0; load < Step::block_at(I).loads.count; ++load)
            if (auto const source = Step::source_of(I, load); source.task == I - 1 && source.column > 0)
                first = std::min(first, first_use<I>(load));
        return first;
    }

    /// The other batches of task I, if it is a product.
    template <int I, class Frame, class Results>
    static void multiply_rest(Frame const& f, Results& made) {
        if constexpr (I >= 0)
            if constexpr (constexpr int first = first_batches(I); first < vectors(I))
                multiply<I, first, vectors(I) - first>(f, std::get<at(I)>(made));
    }

    /// All instructions in their order, each for all columns: no reduction is waited for twice.
    template <int I, class Frame, class Results>
    static void run_block(Frame const& f, Results& made) {
        using program = program_with<typename Step::template program<I>, Accuracy>;
        constexpr std::size_t L = lanes[at(I)];
        constexpr int count = vectors(I);
        using with = simd<S, L>;
        using code = instructions<program, S, L>;
        using batch = typename with::type;
        S* const* const places = f.places + Step::place(I);
        std::array<batch, at(program::registers) + 1> row;
        std::array<std::array<batch, at(count)>, at(program::registers) + 1> element;
        auto const load = [&](auto i) {
            if constexpr (program::is_per_row(i))
                row[at(i)] = batch(*places[i]);
            else
                for_each_number<count>([&](auto v) {
                    constexpr auto source = Step::source_of(I, i);
                    if constexpr (source.task >= 0 && lanes[at(std::max(source.task, 0))] == L)
                        element[at(i)][at(v)] = std::get<at(source.task)>(made)[source.column / L + at(v)];
                    else
                        element[at(i)][at(v)] = with::load(places[i] + at(v) * L);
                });
        };
        auto const load_before = [&](auto next) {
            if constexpr (next == rest_use<I>())
                multiply_rest<I - 1>(f, made);
            for_each_number<program::loads>([&](auto i) {
                if constexpr (first_use<I>(i) == next)
                    load(i);
            });
        };
        for_each_number<program::codes>([&](auto i) {
            load_before(i);
            constexpr int to = program::loads + i;
            constexpr moment when = moment_of(program::code(i));
            if constexpr (when == moment::over_columns) {
                constexpr int from = program::operand(i, 0);
                batch all(code::template reduction<i>::template start<S>());
                for_each_number<count>([&](auto v) {
                    all = code::template combine<i>(
                        all, program::is_per_row(from) ? row[at(from)] : element[at(from)][at(v)]);
                });
                row[at(to)] = code::template fold<i>(all);
            } else if constexpr (when == moment::after_columns) {
                constexpr int operands = program::code(i).operands.count;
                std::array<std::array<S, at(count) * L>, at(operands)> z;
                std::array<S const*, at(operands)> rows;
                std::array<S, at(count) * L> y;
                for_each_number<operands>([&](auto k) {
                    rows[at(k)] = z[at(k)].data();
                    for_each_number<count>([&](auto v) {
                        with::store(element[at(program::operand(i, k))][at(v)], z[at(k)].data() + at(v) * L);
                    });
                });
                code::template of_row<i>(Step::template counts<I>.data(), rows.data(), y.data(), y.size());
                for_each_number<count>(
                    [&](auto v) { element[at(to)][at(v)] = with::load(y.data() + at(v) * L); });
            } else if constexpr (when == moment::before_columns)
                row[at(to)] = code::template compute<i>(Step::template counts<I>.data(),
                                                        [&](auto r) { return row[at(r)]; });
            else
                for_each_number<count>([&](auto v) {
                    element[at(to)][at(v)] =
                        code::template compute<i>(Step::template counts<I>.data(), [&](auto r) {
                            return program::is_per_row(r) ? row[at(r)] : element[at(r)][at(v)];
                        });
                });
        });
        load_before(std::integral_constant<int, program::codes>());
        for_each_number<program::stores>([&](auto i) {
            constexpr int r = program::stored(i);
            constexpr int to = Step::place(I) + program::loads + i;
            if constexpr (program::is_store_per_row(i)) {
                std::array<S, L> part;
                with::store(row[at(r)], part.data());
                store<1>(f, to, 0, part[0]);
            } else
                for_each_number<count>([&](auto v) {
                    store<L>(f, to, at(v), program::is_per_row(r) ? row[at(r)] : element[at(r)][at(v)]);
                });
        });
    }
};

} // namespace sluice::xtensor
