// SPDX-License-Identifier: BSL-1.0
// The kernel of a block of matrix values in which vectors stand, or over which it sums: one pass over the
// matrix of each group of each row of the batch (plan/plan.hpp: lies).
//
//   for each matrix:           numbers of the row
//     some rows, or all:
//       each tile of columns:  vectors in rows are loaded, sums over rows start or go on
//         each row:            numbers of vectors in columns;  batches are loaded, computed, stored, summed
//       sums over columns fold their lanes
//     sums over rows are stored
//
// Where there are sums over columns, all tiles of some rows come before other rows, so that lanes are folded
// once.
//
// S' = a S + k u^T and y = q S', where a, k and q stand in columns and u in rows, is one pass: S is read and
// S' is written once, and u and y are in registers for all rows of a tile.
//
// The numbers of a matrix lie side by side; those of a vector do within a piece.
//
// A product that is added to something, and one that is summed, is rounded once with it, wherever it stands.
#pragma once

#include <sluice/backend/block.hpp>
#include <sluice/graph/operations.hpp>
#include <sluice/xtensor/instruction.hpp>
#include <sluice/xtensor/pointwise.hpp>
#include <sluice/xtensor/simd/stored.hpp>
#include <vector>

namespace sluice::xtensor {

template <class Program, class S>
class matrix_kernel {
    using number = arithmetic_of<S>;
    using with_numbers = simd<number>;
    using batch = typename with_numbers::type;
    static constexpr std::size_t lanes = with_numbers::lanes;
    static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
    using registers = std::array<batch, at(Program::registers) + 1>;
    using frame = block_frame<S>;
    using with = instructions<Program, number>;

    static constexpr bool lies_so(int load, lies how) {
        return !Program::is_per_row(load) && Program::load_lies(load) == how;
    }
    static constexpr int count_of_sums(lies how) {
        int count = 0;
        for (int i = 0; i < Program::stores; ++i)
            count += Program::store_lies(i) == how;
        return count;
    }
    static constexpr int count_of_rows() {
        int count = count_of_sums(lies::in_rows);
        for (int i = 0; i < Program::loads; ++i)
            count += lies_so(i, lies::in_rows);
        return count;
    }
    /// Batches of a tile: what stands in rows has the machine's registers at most, and is read again where
    /// these are needed. With fewer, numbers in columns would be read more often.
    static constexpr std::size_t together = [] {
        std::size_t batches = 4;
        while (batches > 1 && batches * at(count_of_rows()) > with_numbers::registers)
            batches /= 2;
        return batches;
    }();

    // Which products are rounded together with what they are added to.

    static constexpr bool is_function(int r, int function) {
        return r >= Program::loads &&
               kind_of(Program::code(r - Program::loads)) == instruction_kind::function &&
               Program::code(r - Program::loads).function == function;
    }
    static constexpr bool is_product(int r) { return is_function(r, f_multiply) && !Program::is_per_row(r); }
    /// The operand of a sum that is such a product, or -1.
    static constexpr int product_in(int i) {
        if (!is_function(Program::loads + i, f_add) || Program::is_per_row(Program::loads + i))
            return -1;
        return is_product(Program::operand(i, 0)) ? 0 : is_product(Program::operand(i, 1)) ? 1 : -1;
    }
    /// Whether the value of a register is needed by itself.
    static constexpr bool is_needed(int r) {
        if (!is_product(r))
            return true;
        for (int i = 0; i < Program::codes; ++i)
            for (int k = 0; k < Program::code(i).operands.count; ++k)
                if (Program::operand(i, k) == r && product_in(i) != k)
                    return true;
        for (int i = 0; i < Program::stores; ++i)
            if (Program::stored(i) == r && Program::store_lies(i) == lies::as_wide)
                return true;
        return false;
    }

    using operands = row_and_element<Program, registers>;
    template <int R>
    [[gnu::always_inline]] static batch const& read(registers const& row, registers const& element) {
        return operands{row, element}(std::integral_constant<int, R>{});
    }
    /// a + register R, rounded once if that is a product.
    template <int R>
    [[gnu::always_inline]] static batch add(batch const& a, registers const& row, registers const& element) {
        if constexpr (is_product(R))
            return with_numbers::multiply_add(read<Program::operand(R - Program::loads, 0)>(row, element),
                                              read<Program::operand(R - Program::loads, 1)>(row, element), a);
        else
            return with_numbers::rounded(a + read<R>(row, element));
    }

    /// The first numbers of a batch; the others are zeros.
    static batch load_part(S const* from, std::size_t count) {
        std::array<S, lanes> part{};
        std::copy_n(from, count, part.data());
        return stored<S>::load(part.data());
    }
    static batch first_of(batch const& z, std::size_t count) {
        std::array<number, lanes> part;
        with_numbers::store(z, part.data());
        std::fill(part.begin() + static_cast<std::ptrdiff_t>(count), part.end(), number(0));
        return with_numbers::load(part.data());
    }
    template <class To>
    static void store_part(batch const& z, To* to, std::size_t count) {
        std::array<To, lanes> part;
        stored<To>::store(z, part.data());
        std::copy_n(part.data(), count, to);
    }

    /// One matrix of a row of the batch.
    struct place {
        frame const& f;
        std::size_t r, group;
        registers row{};
        std::array<S*, static_cast<std::size_t>(Program::loads) + 1>
            columns_of{}; ///< vectors that stand in them
        std::array<number*, static_cast<std::size_t>(Program::stores) + 1>
            sums_of{}; ///< over the rows so far, where these come in several parts

        S* at(typename frame::operand const& o, std::size_t column) const { return o.at(r, column); }
        std::size_t rows() const { return f.matrices.rows; }
        std::size_t columns() const { return f.matrices.columns; }
    };

    /// Sums over columns: lanes of so many rows, until they are folded.
    struct column_sums {
        std::array<std::array<number, lanes * lanes>, at(Program::stores) + 1> parts;
    };
    /// Stores the sums over the columns of so many rows.
    template <int I>
    static void fold_columns(place const& p, column_sums& sums, std::size_t first_row, std::size_t count) {
        if constexpr (Program::store_lies(I) == lies::in_columns) {
            auto& parts = sums.parts[at(I)];
            std::fill(parts.begin() + static_cast<std::ptrdiff_t>(count * lanes), parts.end(), number(0));
            std::array<number, lanes> result;
            with_numbers::store(with_numbers::sums_of_rows(parts.data()), result.data());
            for (std::size_t k = 0; k < count; ++k)
                *p.at(p.f.stores[I], p.group * p.rows() + first_row + k) = rounded<S>(result[k]);
        }
    }

    /// Whether the rows come in parts, so that lanes are folded after all tiles of some rows.
    static constexpr bool is_in_parts = count_of_sums(lies::in_columns) > 0;
    static constexpr bool keeps_sums = is_in_parts && count_of_sums(lies::in_rows) > 0;

    /// Batches of rows [first_row, last_row), from column j of the matrix on; `count` of the last one's lanes
    /// are there.
    template <std::size_t Batches, int... Load, int... Code, int... Store>
    static void run_tile(place& p, std::size_t first_row, std::size_t last_row, std::size_t j,
                         std::size_t count, column_sums& of_columns, std::integer_sequence<int, Load...>,
                         std::integer_sequence<int, Code...>, std::integer_sequence<int, Store...>) {
        constexpr bool is_whole = Batches > 1; // all lanes are there
        auto const load = [count](S const* from) {
            return is_whole || count == lanes ? stored<S>::load(from) : load_part(from, count);
        };
        auto const store = [count]<class To>(batch const& z, To* to) {
            if (is_whole || count == lanes)
                stored<To>::store(z, to);
            else
                store_part(z, to, count);
        };
        std::array<registers, Batches> all;
        std::array<std::array<batch, at(Program::stores) + 1>, Batches> sums;
        frame const& f = p.f;
        std::size_t const first = p.group * p.f.matrices.matrix(), in_row = p.group * p.columns() + j;
        [[maybe_unused]] auto const begin = [&](registers& z, std::size_t offset, auto k) {
            if constexpr (lies_so(k, lies::in_rows))
                z[at(k)] = load(p.at(f.loads[k()], in_row) + offset);
        };
        for_each_number<Batches>([&](auto b) {
            (begin(all[b()], b() * lanes, std::integral_constant<int, Load>{}), ...);
            ((sums[b()][at(Store)] = batch(number(0))), ...);
        });
        [[maybe_unused]] auto const go_on = [&](batch& sum, std::size_t offset, auto k) {
            if constexpr (keeps_sums && Program::store_lies(k) == lies::in_rows)
                sum = with_numbers::load(p.sums_of[at(k)] + j + offset);
        };
        if (keeps_sums && first_row > 0)
            for_each_number<Batches>([&](auto b) {
                (go_on(sums[b()][at(Store)], b() * lanes, std::integral_constant<int, Store>{}), ...);
            });

        std::array<S*, at(Program::loads) + 1> in{};
        std::array<S*, at(Program::stores) + 1> out{};
        for_each_number<Program::loads>([&](auto k) {
            if constexpr (lies_so(k, lies::in_columns))
                in[at(k)] = p.columns_of[at(k)];
            else if constexpr (lies_so(k, lies::as_wide))
                in[at(k)] = p.at(f.loads[k()], first + j);
        });
        for_each_number<Program::stores>([&](auto k) {
            if constexpr (Program::store_lies(k) == lies::as_wide)
                out[at(k)] = p.at(f.stores[k()], first + j);
        });
        std::size_t const columns = p.columns();
        for (std::size_t i = first_row; i < last_row; ++i) {
            std::size_t const from_first = i * columns;
            registers column; // numbers of vectors that stand in columns
            [[maybe_unused]] auto const load_column = [&](auto k) {
                if constexpr (lies_so(k, lies::in_columns))
                    column[at(k)] = batch(widened(in[at(k)][i]));
            };
            (load_column(std::integral_constant<int, Load>{}), ...);
            std::array<batch, at(Program::stores) + 1> folded;
            ((folded[at(Store)] = batch(number(0))), ...);
            // One batch: its constants are found once for all of a tile, which are computed side by side.
            auto const one = [&](registers & z, auto& sum, std::size_t offset)
                __attribute__((always_inline)) {
                [[maybe_unused]] auto const load_element = [&](auto k) {
                    if constexpr (lies_so(k, lies::in_columns))
                        z[at(k)] = column[at(k)];
                    else if constexpr (lies_so(k, lies::as_wide))
                        z[at(k)] = load(in[at(k)] + offset);
                };
                (load_element(std::integral_constant<int, Load>{}), ...);
                [[maybe_unused]] auto const compute = [&](auto k) {
                    constexpr int r = Program::loads + k();
                    if constexpr (!Program::is_per_row(r) && is_needed(r)) {
                        if constexpr (constexpr int of = product_in(k()); of >= 0)
                            z[at(r)] = add<Program::operand(k(), of)>(
                                read<Program::operand(k(), 1 - of)>(p.row, z), p.row, z);
                        else
                            z[at(r)] = with_numbers::rounded(
                                with::template compute<k()>(f.counts, operands{p.row, z}));
                    }
                };
                (compute(std::integral_constant<int, Code>{}), ...);
                auto const write = [&](auto k) {
                    constexpr int r = Program::stored(k);
                    if constexpr (Program::store_lies(k) == lies::as_wide)
                        store(read<r>(p.row, z), out[at(k)] + offset);
                    else if constexpr (Program::store_lies(k) == lies::in_rows)
                        sum[at(k)] = add<r>(sum[at(k)], p.row, z);
                    else
                        folded[at(k)] = add<r>(folded[at(k)], p.row, z);
                };
                (write(std::integral_constant<int, Store>{}), ...);
            };
            for_each_number<Batches>([&](auto b) { one(all[b()], sums[b()], from_first + b() * lanes); });
            std::size_t const turn = i % lanes;
            auto const keep = [&](auto k) {
                if constexpr (Program::store_lies(k) == lies::in_columns) {
                    number* const to = of_columns.parts[at(k)].data() + turn * lanes;
                    batch const sum =
                        is_whole || count == lanes ? folded[at(k)] : first_of(folded[at(k)], count);
                    with_numbers::store(j > 0 ? sum + with_numbers::load(to) : sum, to);
                }
            };
            (keep(std::integral_constant<int, Store>{}), ...);
        }
        auto const end = [&](batch const& sum, std::size_t offset, auto k) {
            if constexpr (Program::store_lies(k) == lies::in_rows) {
                if (keeps_sums && last_row < p.rows())
                    store(sum, p.sums_of[at(k)] + j + offset);
                else
                    store(sum, p.at(f.stores[k()], in_row) + offset);
            }
        };
        for_each_number<Batches>([&](auto b) {
            (end(sums[b()][at(Store)], b() * lanes, std::integral_constant<int, Store>{}), ...);
        });
    }

    /// All columns of rows [first_row, last_row).
    static void run_rows(place& p, std::size_t first_row, std::size_t last_row, column_sums& of_columns) {
        auto const tile = [&](auto batches, std::size_t j, std::size_t count) {
            run_tile<batches()>(p, first_row, last_row, j, count, of_columns,
                                std::make_integer_sequence<int, Program::loads>{},
                                std::make_integer_sequence<int, Program::codes>{},
                                std::make_integer_sequence<int, Program::stores>{});
        };
        for (std::size_t piece = 0; piece < p.columns(); piece += p.f.piece) {
            std::size_t j = piece;
            std::size_t const end = piece + p.f.piece;
            for (; together > 1 && j + together * lanes <= end; j += together * lanes)
                tile(std::integral_constant<std::size_t, together>{}, j, lanes);
            for (; j < end; j += std::min(lanes, end - j))
                tile(std::integral_constant<std::size_t, 1>{}, j, std::min(lanes, end - j));
        }
    }

    /// Vectors that stand in columns, where their numbers lie side by side, or in a copy.
    static void find_columns(place& p) {
        thread_local std::vector<S> copies;
        std::size_t const rows = p.rows(), first = p.group * rows;
        for_each_number<Program::loads>([&](auto k) {
            if constexpr (lies_so(k, lies::in_columns)) {
                auto const& from = p.f.loads[k()];
                S*& to = p.columns_of[at(k)];
                to = p.at(from, first);
                if (from.offset(first + rows - 1) - from.offset(first) == rows - 1)
                    return;
                copies.resize(std::max(copies.size(), at(Program::loads) * rows));
                to = copies.data() + at(k) * rows;
                for (std::size_t i = 0; i < rows; ++i)
                    to[i] = *p.at(from, first + i);
            }
        });
    }

    static void run_matrix(place& p) {
        find_columns(p);
        begin_sums(p);
        for_each_number<Program::loads>([&](auto k) {
            if constexpr (Program::is_per_row(k))
                p.row[at(k)] = batch(p.f.loads[k()].number_at(p.r));
        });
        for_each_number<Program::codes>([&](auto k) {
            if constexpr (Program::is_per_row(Program::loads + k))
                p.row[at(Program::loads + k)] =
                    with_numbers::rounded(with::template compute<k()>(p.f.counts, operands{p.row, p.row}));
        });
        column_sums of_columns;
        std::size_t const rows = p.rows();
        if constexpr (!is_in_parts)
            run_rows(p, 0, rows, of_columns);
        else
            for (std::size_t i = 0; i < rows; i += lanes) {
                std::size_t const end = std::min(i + lanes, rows);
                run_rows(p, i, end, of_columns);
                for_each_number<Program::stores>(
                    [&](auto k) { fold_columns<k()>(p, of_columns, i, end - i); });
            }
    }
    /// Room for sums over rows that go on, and for the lanes that a last batch reads in vain.
    static void begin_sums([[maybe_unused]] place& p) {
        if constexpr (keeps_sums) {
            thread_local std::vector<number> room;
            std::size_t const columns = p.columns() + lanes;
            room.resize(std::max(room.size(), at(Program::stores) * columns));
            for_each_number<Program::stores>(
                [&](auto k) { p.sums_of[at(k)] = room.data() + at(k) * columns; });
        }
    }

public:
    static_assert(!Program::walk.waits_for_row(),
                  "sluice: a function of a whole row stands in a matrix value");

    /// Matrices [first, first + count): group g of row r is number r * groups + g.
    static void run(frame const& f, std::size_t first, std::size_t count) {
        for (std::size_t number = first; number < first + count; ++number) {
            place p{f, number / f.matrices.groups, number % f.matrices.groups};
            if (f.matrices.matrix() == 0)
                clear(p);
            else
                run_matrix(p);
        }
    }
    static void run(frame const& f) { run(f, 0, f.rows * f.matrices.groups); }

private:
    /// Sums over nothing.
    static void clear(place& p) {
        for_each_number<Program::stores>([&](auto k) {
            standing how = p.f.matrices;
            how.in_columns = Program::store_lies(k) == lies::in_columns;
            for (std::size_t c = 0; Program::store_lies(k) != lies::as_wide && c < how.vector(); ++c)
                *p.at(p.f.stores[k()], p.group * how.vector() + c) = S(0);
        });
    }
};

/// The kernel of a block.
template <class Program, class S>
void run_block(block_frame<S> const& frame) {
    if constexpr (Program::has_standing)
        matrix_kernel<Program, S>::run(frame);
    else
        pointwise_kernel<Program, S>::run(frame);
}

} // namespace sluice::xtensor
