// SPDX-License-Identifier: BSL-1.0
// A step of one row whose extents are few and known to the compiler (execute/fixed_step.hpp): straight-line
// code, in which the results of products go to the blocks in registers.
//
//   product    C[n] = (s_0 + s_1) + (s_2 + s_3),    s_p = the sum of A[k] W[k, n] over k = p, p + 4, ...
//
// The sums of a product are split into as many parts as registers hold, so that their order is not that of
// tiles.hpp. Batches are as wide as the columns of all that they meet are a multiple of.
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
        constexpr std::size_t L = lanes[at(I)], K = Step::inner(I);
        constexpr int count = vectors(I);
        constexpr std::size_t P = at(parts(count)), V = at(count), step = places(I).step;
        using with = simd<S, L>;
        using batch = typename with::type;
        S const* const a = f.places[Step::place(I)];
        [[maybe_unused]] S* const c = f.places[Step::place(I) + 1];
        S const* const w = f.weights[Step::product(I)].panels(0);
        batch sums[P * V];
        for_each_number<static_cast<int>(P * V)>([&](auto i) { sums[at(i)] = batch(S(0)); });
        if constexpr (Step::task_at(I).accumulates())
            for_each_number<count>([&](auto v) { sums[at(v)] = with::load(c + at(v) * L); });
        std::size_t k = 0;
        for (; k + P <= K; k += P)
            for_each_number<static_cast<int>(P)>([&](auto p) {
                batch const x(a[k + at(p)]);
                for_each_number<count>([&](auto v) {
                    constexpr std::size_t there = place(I, at(p), at(v));
                    auto& sum = sums[at(p) * V + at(v)];
                    sum = with::multiply_add(x, with::load(w + there + k * step), sum);
                });
            });
        for_each_number<static_cast<int>(K % P)>([&](auto p) {
            batch const x(a[K - K % P + at(p)]);
            for_each_number<count>([&](auto v) {
                constexpr std::size_t there = place(I, K - K % P + at(p), at(v));
                auto& sum = sums[at(p) * V + at(v)];
                sum = with::multiply_add(x, with::load(w + there), sum);
            });
        });
        for_each_number<count>([&](auto v) {
            auto& sum = std::get<at(I)>(made)[at(v)];
            if constexpr (P == 4)
                sum = (sums[at(v)] + sums[V + at(v)]) + (sums[2 * V + at(v)] + sums[3 * V + at(v)]);
            else if constexpr (P == 2)
                sum = sums[at(v)] + sums[V + at(v)];
            else
                sum = sums[at(v)];
            if constexpr (!stays_in_registers(I))
                store<L>(sum, c + at(v) * L);
        });
    }
    static constexpr bool stays_in_registers(int i) {
        bool same = Step::task_at(i).stays;
        for (int k = i + 1; k < Step::tasks; ++k)
            for (int load = 0; is_block(k) && load < Step::block_at(k).loads.count; ++load)
                same = same && (Step::source_of(k, load).task != i || lanes[at(k)] == lanes[at(i)]);
        return same;
    }

    /// All instructions in their order, each for all columns: no reduction is waited for twice.
    template <int I, class Frame, class Results>
    static void run_block(Frame const& f, Results const& made) {
        using program = program_with<typename Step::template program<I>, Accuracy>;
        constexpr std::size_t L = lanes[at(I)];
        constexpr int count = vectors(I);
        using with = simd<S, L>;
        using code = instructions<program, S, L>;
        using batch = typename with::type;
        S* const* const places = f.places + Step::place(I);
        std::array<batch, at(program::registers) + 1> row;
        std::array<std::array<batch, at(count)>, at(program::registers) + 1> element;
        for_each_number<program::loads>([&](auto i) {
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
        });
        for_each_number<program::codes>([&](auto i) {
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
        for_each_number<program::stores>([&](auto i) {
            constexpr int r = program::stored(i);
            S* const to = places[program::loads + i];
            if constexpr (program::is_store_per_row(i)) {
                std::array<S, L> part;
                store<L>(row[at(r)], part.data());
                *to = part[0];
            } else
                for_each_number<count>([&](auto v) {
                    store<L>(program::is_per_row(r) ? row[at(r)] : element[at(r)][at(v)], to + at(v) * L);
                });
        });
    }
};

} // namespace sluice::xtensor
