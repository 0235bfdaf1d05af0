// SPDX-License-Identifier: BSL-1.0
// Products and outer products of prepared tasks, asked of kernels: group by group, or all groups at once
// where the kernels have that, and in pieces where an operand does not lie side by side.
//
// Each row of a matrix value is a row of its product with a matrix. S of 2 heads [3, 4], in 5 rows of the
// batch, times a matrix [4, 4] for each head is asked for as 3 calls, of the rows number 0, 1 and 2 of both
// heads of all rows of the batch; without heads the rows of all S lie at one distance, and it is one call.
#pragma once

#include <cstddef>
#include <sluice/backend/kernels.hpp>
#include <sluice/execute/prepared_task.hpp>
#include <type_traits>
#include <utility>

namespace sluice::detail {

/// f(rows, offset in a, from row to row, the same of the other) for calls that do all rows of the matrices of
/// a group, of so many rows of the batch. At least one call, which may be of no rows.
template <class S, class Kernels, class F>
void for_rows_of_matrices(prepared_task<S, Kernels> const& task, std::size_t rows, std::size_t of_a,
                          strided_view<S> const& other, std::size_t of_other, F f) {
    std::size_t const keys = task.keys;
    bool const at_one_distance = task.matrix.groups == 1 && task.a.is_dense() && other.is_dense();
    if (rows == 0 || at_one_distance)
        return f(rows * keys, 0, of_a, 0, of_other);
    if (rows <= keys)
        for (std::size_t r = 0; r < rows; ++r)
            f(keys, r * task.a.row, of_a, r * other.row, of_other);
    else
        for (std::size_t i = 0; i < keys; ++i)
            f(rows, i * of_a, task.a.row, i * of_other, other.row);
}

/// c = a W or a W^T of matrix values, added to c if the task says so.
template <class S, class Kernels, class Asked>
void multiply_matrices(Asked& kernels, prepared_task<S, Kernels> const& task, std::size_t t, std::size_t rows,
                       std::size_t backward) {
    bool const transposed = task.what->transposed, add = task.what->accumulates();
    std::size_t const inner = task.inner(), outer = task.outer_columns(), groups = task.matrix.groups;
    matrix_part const whole{0, transposed ? task.from : 0, transposed ? 0 : task.from, backward};
    for_rows_of_matrices(
        task, rows, inner, task.c, outer,
        [&](std::size_t count, std::size_t in_a, std::size_t lda, std::size_t in_c, std::size_t ldc) {
            S const* const a = task.a.at(t) + in_a;
            S* const c = task.c.at(t) + in_c;
            std::size_t const next_a = task.keys * inner, next_c = task.keys * outer;
            if constexpr (has_groups<std::remove_cvref_t<Asked>, S>)
                if (groups > 1)
                    return kernels.products(groups, count, outer, inner, a, lda, next_a, task.weight, whole,
                                            c, ldc, next_c, add);
            for (std::size_t g = 0; g < groups; ++g)
                kernels.product(count, outer, inner, a + g * next_a, lda, task.weight,
                                matrix_part{g, whole.row, whole.column, backward}, c + g * next_c, ldc, add);
        });
}

/// c = a W or a W^T, added to c if the task says so: asked of kernels, or of what notes that (ready_step).
template <class S, class Kernels, class Asked>
void multiply(Asked&& kernels, prepared_task<S, Kernels> const& task, std::size_t t, std::size_t rows,
              std::size_t backward) {
    if (task.keys > 0)
        return multiply_matrices(kernels, task, t, rows, backward);
    S const* const a = task.a.at(t);
    S* const c = task.c.at(t);
    bool const transposed = task.what->transposed;
    std::size_t const inner = task.inner(), outer = task.outer_columns();
    if constexpr (has_groups<std::remove_cvref_t<Asked>, S>)
        if (task.as_groups)
            return kernels.products(task.matrix.groups, rows, outer, inner, a, task.a.row, task.next_a,
                                    task.weight,
                                    {0, transposed ? task.from : 0, transposed ? 0 : task.from, backward}, c,
                                    task.c.row, task.next_other, task.what->accumulates());
    for (std::size_t g = 0; g < task.matrix.groups; ++g) {
        task.a.for_pieces(g * inner, inner, [&](std::size_t k, std::size_t in_a, std::size_t k_count) {
            k -= g * inner;
            bool const add = task.what->accumulates() || k > 0;
            task.c.for_pieces(g * outer, outer, [&](std::size_t j, std::size_t in_c, std::size_t j_count) {
                j -= g * outer;
                matrix_part const part{g, transposed ? task.from + k : k, transposed ? j : task.from + j,
                                       backward};
                kernels.product(rows, j_count, k_count, a + in_a, task.a.row, task.weight, part, c + in_c,
                                task.c.row, add);
            });
        });
    }
}

/// to = columns [from, from + columns) of a^T b over so many rows, [groups, rows, columns], or added to it.
/// Row 0 is number `first` of time step t.
template <class S, class Kernels>
void multiply_outer(Kernels const& kernels, prepared_task<S, Kernels> const& task, std::size_t from,
                    std::size_t columns, S* to, std::size_t t, std::size_t first, std::size_t rows,
                    bool add) {
    std::size_t const height = task.matrix.rows, all = task.matrix.columns, groups = task.matrix.groups;
    S const* const a = task.a.at(t) + first * task.a.row;
    S const* const b = task.b.at(t) + first * task.b.row;
    if (task.keys > 0) {
        for_rows_of_matrices(
            task, rows, height, task.b, all,
            [&](std::size_t count, std::size_t in_a, std::size_t lda, std::size_t in_b, std::size_t ldb) {
                std::size_t const next_a = task.keys * height, next_b = task.keys * all;
                bool const adds = std::exchange(add, true);
                if constexpr (has_groups<Kernels, S>)
                    if (groups > 1)
                        return kernels.outers(groups, height, columns, count, a + in_a, lda, next_a,
                                              b + in_b + from, ldb, next_b, to, columns, height * columns,
                                              adds);
                for (std::size_t g = 0; g < groups; ++g)
                    kernels.outer(height, columns, count, a + in_a + g * next_a, lda,
                                  b + in_b + g * next_b + from, ldb, to + g * height * columns, columns,
                                  adds);
            });
        return;
    }
    if constexpr (has_groups<Kernels, S>)
        if (task.as_groups)
            return kernels.outers(groups, height, columns, rows, a, task.a.row, task.next_a, b + from,
                                  task.b.row, task.next_other, to, columns, height * columns, add);
    for (std::size_t g = 0; g < groups; ++g)
        task.a.for_pieces(g * height, height, [&](std::size_t i, std::size_t in_a, std::size_t i_count) {
            std::size_t const left = g * all + from;
            task.b.for_pieces(left, columns, [&](std::size_t j, std::size_t in_b, std::size_t j_count) {
                kernels.outer(i_count, j_count, rows, a + in_a, task.a.row, b + in_b, task.b.row,
                              to + i * columns + j - left, columns, add);
            });
        });
}

/// to = the sum of so many rows from a on, or added to it.
template <class S, class Kernels>
void sum_rows(Kernels const& kernels, prepared_task<S, Kernels> const& task, S const* a, std::size_t rows,
              S* to, bool add) {
    for_common_pieces(task.a, task.c, [&](std::size_t in_a, std::size_t in_c, std::size_t count) {
        kernels.total(rows, count, a + in_a, task.a.row, to + in_c, add);
    });
}

/// f(where a sum over time is wanted, how many numbers it has, what makes it of rows of a step) for each sum
/// of a task; of outer products these are `parts`.
template <class S, class Kernels, class Parts, class F>
void for_sums_of(Kernels const& kernels, prepared_task<S, Kernels> const& task, Parts const& parts, F f) {
    if (task.what->kind == task_kind::total)
        return f(task.c.at(0), task.c.columns,
                 [&](S* to, std::size_t t, std::size_t first, std::size_t rows, bool add) {
                     sum_rows(kernels, task, task.a.at(t) + first * task.a.row, rows, to, add);
                 });
    for (auto const& part : parts)
        f(part.to, task.matrix.groups * task.matrix.rows * part.columns,
          [&](S* to, std::size_t t, std::size_t first, std::size_t rows, bool add) {
              multiply_outer(kernels, task, part.from, part.columns, to, t, first, rows, add);
          });
}

} // namespace sluice::detail
