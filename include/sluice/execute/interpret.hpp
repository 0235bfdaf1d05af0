// SPDX-License-Identifier: BSL-1.0
// Functions that are found by their number at run time, and an interpreter of blocks: what runs a plan that
// is made at run time.
#pragma once

#include <algorithm>
#include <array>
#include <sluice/backend/block.hpp>
#include <vector>

namespace sluice {
namespace detail {

template <class F, class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
    return requires(T const* z) {
        F::value(z[I]...);
    };
}
/// F::value of the operands z[0 .. count), of most_operands at most.
inline constexpr std::size_t most_operands = 8;
template <class F, class T, std::size_t N = 1>
T value_of(T const* z, std::size_t count) {
    if constexpr (takes<F, T>(std::make_index_sequence<N>{}))
        if (count == N)
            return [&]<std::size_t... I>(std::index_sequence<I...>) {
                return static_cast<T>(F::value(z[I]...));
            }
    (std::make_index_sequence<N>{});
    if constexpr (N < most_operands)
        return value_of<F, T, N + 1>(z, count);
    else
        return T{};
}

} // namespace detail

/// y = function(operands), elements [0, columns); `step` of an operand is 0 where all its elements are one
/// number.
template <class Operations, class T>
void apply_function(int function, T const* const* operands, std::size_t const* step, std::size_t count,
                    std::size_t columns, T* y) {
    Operations::visit(function, [&](auto f) {
        std::array<T, detail::most_operands> z{};
        for (std::size_t c = 0; c < columns; ++c) {
            for (std::size_t k = 0; k < count; ++k)
                z[k] = operands[k][c * step[k]];
            y[c] = detail::value_of<decltype(f)>(z.data(), count);
        }
    });
}

/// The reduction of z[0 .. columns).
template <class Operations, class T>
T apply_reduction(int function, T const* z, std::size_t columns) {
    T result{};
    Operations::visit(function, [&](auto f) {
        using row = decltype(f);
        if constexpr (requires { row::combine(result, result); }) {
            result = row::template start<T>();
            for (std::size_t c = 0; c < columns; ++c)
                result = row::combine(result, z[c]);
        }
    });
    return result;
}

/// y = the scan F of the rows z, one for each operand, of so many columns.
template <class F, class T, std::size_t... K>
void scan_row(T const* const* z, std::size_t columns, T* y, std::index_sequence<K...>) {
    T before = F::template start<T>();
    for (std::size_t k = 0; k < columns; ++k) {
        std::size_t const c = equation::is_reversed<F> ? columns - 1 - k : k;
        y[c] = F::step(before, z[K][c]...);
        before = equation::passed_on<F>(y[c], z[K][c]...);
    }
}
template <class F, class T>
void scan_row(T const* const* z, std::size_t columns, T* y) {
    scan_row<F>(z, columns, y, std::make_index_sequence<equation::detail::operands_of_scan<F>()>{});
}

/// y = the function of a whole row, of one row z for each operand; of a reduction within groups, each of so
/// many features.
template <class Operations, class T>
void apply_to_row(op kind, int function, T const* const* z, std::size_t columns, std::size_t of_group, T* y) {
    if (kind == op::reduce_groups)
        for (std::size_t c = 0; c < columns; c += of_group)
            std::fill_n(y + c, of_group, apply_reduction<Operations>(function, z[0] + c, of_group));
    else
        Operations::visit(function, [&](auto f) {
            if constexpr (equation::scanning<decltype(f)>)
                scan_row<decltype(f)>(z, columns, y);
        });
}

/// Runs block k of a plan, one row after the other and one instruction after the other, in the host's memory.
template <class Operations, class S>
void interpret_block(plan_view const& p, int k, block_frame<S> const& f) {
    using number = arithmetic_of<S>;
    block_walk const block(p, k);
    std::size_t const most = std::max<std::size_t>(f.columns, 1);
    std::vector<number> registers(static_cast<std::size_t>(block.registers()) * most);
    auto const row_of = [&](int r) { return registers.data() + static_cast<std::size_t>(r) * most; };
    for (std::size_t r = 0; r < f.rows; ++r) {
        auto const for_elements = [&](bool per_row, lies how, auto const& operand, auto g) {
            std::size_t const columns = per_row ? 1 : f.columns;
            for (std::size_t c = 0; c < columns; ++c)
                g(*operand.at(r, f.matrices.index(how, c)), c);
        };
        for (int i = 0; i < block.loads.count; ++i) {
            if (f.loads[i].data == nullptr)
                *row_of(i) = f.loads[i].number;
            else
                for_elements(block.loads[i].per_row, block.loads[i].how, f.loads[i],
                             [&](S const& from, std::size_t c) { row_of(i)[c] = widened(from); });
        }
        for (int i = 0; i < block.code.count; ++i) {
            instruction const& next = block.code[i];
            int const result = block.loads.count + i;
            std::size_t const columns = block.is_per_row(result) ? 1 : f.columns;
            std::array<number const*, detail::most_operands> from{};
            std::array<std::size_t, detail::most_operands> step{};
            for (int o = 0; o < next.operands.count; ++o) {
                from[static_cast<std::size_t>(o)] = row_of(block.operand(i, o));
                step[static_cast<std::size_t>(o)] = block.is_per_row(block.operand(i, o)) ? 0 : 1;
            }
            number* const to = row_of(result);
            switch (kind_of(next)) {
            case instruction_kind::constant:
                std::fill_n(to, columns, static_cast<number>(next.value));
                break;
            case instruction_kind::count:
                std::fill_n(to, columns, static_cast<number>(f.counts[i]));
                break;
            case instruction_kind::copy:
                for (std::size_t c = 0; c < columns; ++c)
                    to[c] = from[0][c * step[0]];
                break;
            case instruction_kind::function:
                apply_function<Operations>(next.function, from.data(), step.data(),
                                           static_cast<std::size_t>(next.operands.count), columns, to);
                break;
            case instruction_kind::reduction:
                *to = apply_reduction<Operations>(next.function, from[0], f.columns);
                break;
            case instruction_kind::groups:
            case instruction_kind::scan:
                apply_to_row<Operations>(next.kind, next.function, from.data(), f.columns, f.counts[i], to);
            }
        }
        for (int i = 0; i < block.stores.count; ++i) {
            block_store const& store = block.stores[i];
            std::size_t const step = block.is_per_row(store.from) ? 0 : 1;
            number const* const from = row_of(store.from);
            if (store.how == lies::as_wide)
                for_elements(store.per_row, store.how, f.stores[i],
                             [&](S& to, std::size_t c) { to = rounded<S>(from[c * step]); });
            else {
                standing how = f.matrices;
                how.in_columns = store.how == lies::in_columns;
                std::vector<number> sums(how.groups * how.vector());
                for (std::size_t c = 0; c < f.columns; ++c)
                    sums[how.index(store.how, c)] += from[c * step];
                for (std::size_t c = 0; c < sums.size(); ++c)
                    *f.stores[i].at(r, c) = rounded<S>(sums[c]);
            }
        }
    }
}

} // namespace sluice
