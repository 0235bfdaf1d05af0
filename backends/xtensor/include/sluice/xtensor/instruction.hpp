// SPDX-License-Identifier: BSL-1.0
// The instructions of a block on batches of so many lanes.
#pragma once

#include <sluice/backend/block.hpp>
#include <sluice/execute/interpret.hpp>
#include <sluice/expr/elementary.hpp>
#include <sluice/xtensor/simd/long_functions.hpp>
#include <type_traits>

namespace sluice::xtensor {

/// f(std::integral_constant<int, I>) for I in [0, Count).
template <int Count, class F>
void for_each_number(F f) {
    [&]<int... I>(std::integer_sequence<int, I...>) {
        (f(std::integral_constant<int, I>{}), ...);
    }
    (std::make_integer_sequence<int, Count>{});
}

/// An associative scan of one row. Four parts of it are made at a time, for each step of one waits for the
/// last.
template <class F, class S>
void scan_parts(S const* z, S* y, std::size_t count) {
    auto const at = [count](std::size_t i) { return equation::is_reversed<F> ? count - 1 - i : i; };
    std::size_t const part = count / 4;
    std::array<S, 4> so_far;
    so_far.fill(F::template start<S>());
    for (std::size_t i = 0; i < part; ++i)
        for (std::size_t p = 0; p < 4; ++p) {
            so_far[p] = F::step(so_far[p], z[at(p * part + i)]);
            y[at(p * part + i)] = so_far[p];
        }
    S before = so_far[0];
    for (std::size_t p = 1; p < 4; before = F::step(before, so_far[p++]))
        for (std::size_t i = p * part; i < (p + 1) * part; ++i)
            y[at(i)] = F::step(before, y[at(i)]);
    for (std::size_t i = 4 * part; i < count; ++i) {
        before = F::step(before, z[at(i)]);
        y[at(i)] = before;
    }
}

/// What an instruction reads: numbers of the row, and elements.
template <class Program, class Registers>
struct row_and_element {
    Registers const& row;
    Registers const& element;

    template <int R>
    [[gnu::always_inline]] auto const& operator()(std::integral_constant<int, R>) const {
        return Program::is_per_row(R) ? row[static_cast<std::size_t>(R)]
                                      : element[static_cast<std::size_t>(R)];
    }
};

template <class Program, class S, std::size_t Lanes = widest<S>>
struct instructions {
    using batch = typename simd<S, Lanes>::type;

    /// Instruction I, unless it is a reduction. `operand(r)` is register r, `counts` as of a block_frame.
    template <int I, class Operand>
    static batch compute(std::size_t const* counts, Operand const& operand) {
        constexpr instruction next = Program::code(I);
        constexpr instruction_kind kind = kind_of(next);
        if constexpr (kind == instruction_kind::constant)
            return batch(static_cast<S>(next.value));
        else if constexpr (kind == instruction_kind::count)
            return batch(static_cast<S>(counts[I]));
        else if constexpr (kind == instruction_kind::copy)
            return operand(std::integral_constant<int, Program::operand(I, 0)>{});
        else if constexpr (constexpr int n = square_roots<I>(); n > 0) {
            batch z = operand(std::integral_constant<int, Program::operand(I, 0)>{}) + batch(S(0)); // not -0
            for (int k = 0; k < n; ++k)
                z = operation::sqrt::value(z);
            return z;
        } else {
            static_assert(kind == instruction_kind::function);
            using function = typename Program::operations::template at<next.function>;
            return [&]<int... K>(std::integer_sequence<int, K...>) {
                return lane_by_lane<S, Lanes>(
                    [](auto const&... z) -> decltype(function::value(z...)) { return function::value(z...); },
                    operand(std::integral_constant<int, Program::operand(I, K)>{})...);
            }
            (std::make_integer_sequence<int, next.operands.count>{});
        }
    }

    template <int I>
    using reduction = typename Program::operations::template at<Program::code(I).function>;

    template <int I>
    static batch combine(batch const& a, batch const& b) {
        return lane_by_lane<S, Lanes>(
            [](auto const& x, auto const& y) -> decltype(reduction<I>::combine(x, y)) {
                return reduction<I>::combine(x, y);
            },
            a, b);
    }
    /// The first lanes of a reduction's result together, in each of them; the others have no features.
    template <int I>
    static batch fold(batch const& all, std::size_t count = Lanes) {
        std::array<S, Lanes> part;
        simd<S, Lanes>::store(all, part.data());
        S sum = part[0];
        for (std::size_t lane = 1; lane < Lanes && lane < count; ++lane)
            sum = reduction<I>::combine(sum, part[lane]);
        return batch(sum);
    }
    /// Instruction I, a function of a whole row, of so many numbers of each operand.
    template <int I>
    static void of_row(std::size_t const* counts, S const* const* z, S* y, std::size_t count) {
        using function = reduction<I>;
        if constexpr (kind_of(Program::code(I)) == instruction_kind::groups) {
            std::size_t const part = counts[I];
            for (std::size_t first = 0; first < count; first += part)
                std::fill_n(y + first, part, reduced<I>(z[0] + first, part));
        } else if constexpr (equation::is_associative<function>)
            scan_parts<function>(z[0], y, count);
        else
            scan_row<function>(z, count, y);
    }

private:
    /// Returns n where instruction I is a power with the constant exponent 1 / 2^n, and otherwise 0. Square
    /// roots are faster than a power.
    template <int I>
    static constexpr int square_roots() {
        if constexpr (std::is_same_v<reduction<I>, operation::power>) {
            constexpr int exponent = Program::operand(I, 1) - Program::loads;
            if constexpr (exponent >= 0)
                for (int n = 1; n <= 4 && kind_of(Program::code(exponent)) == instruction_kind::constant; ++n)
                    if (Program::code(exponent).value == 1.0 / (1 << n))
                        return n;
        }
        return 0;
    }
    /// The reduction of so many numbers: batches first, then what is left.
    template <int I>
    static S reduced(S const* z, std::size_t count) {
        S all = reduction<I>::template start<S>();
        std::size_t c = 0;
        if (count >= Lanes) {
            batch some(all);
            for (; c + Lanes <= count; c += Lanes)
                some = combine<I>(some, simd<S, Lanes>::load(z + c));
            std::array<S, Lanes> part;
            simd<S, Lanes>::store(fold<I>(some), part.data());
            all = part[0];
        }
        for (; c < count; ++c)
            all = reduction<I>::combine(all, z[c]);
        return all;
    }
};

} // namespace sluice::xtensor
