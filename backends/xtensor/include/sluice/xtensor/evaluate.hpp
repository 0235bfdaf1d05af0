// SPDX-License-Identifier: BSL-1.0
// What a graph means: each node is one expression, assigned into a tensor of its own. Any graph, any scalar,
// one time step; the oracle of every other lowering.
#pragma once

#include <sluice/core/xtensor_headers.hpp>
#include <sluice/execute/interpret.hpp>
#include <sluice/execute/matrices.hpp>
#include <vector>
#include <xtensor-blas/xlinalg.hpp> // the reference backend alone takes xtensor-blas; install it

namespace sluice::xtensor {

/// Values of the nodes of a graph: [batch, width]. What has no rows is one row, what has no features one
/// column; a matrix is [rows, columns], and a block-diagonal one is the whole matrix, zeros included.
template <class S>
using node_values = std::vector<xt::xtensor<S, 2>>;

namespace detail {

/// to[:, at ..] = columns [from, from + count) of a; of each of so many groups their part.
template <class S>
void put_columns(xt::xtensor<S, 2> const& a, std::size_t from, std::size_t count, std::size_t groups,
                 xt::xtensor<S, 2>& to, std::size_t at) {
    std::size_t const part = count / groups, in_a = a.shape()[1] / groups, in_to = to.shape()[1] / groups;
    for (std::size_t g = 0; g < groups; ++g) {
        std::size_t const first = g * in_to + at / groups, source = g * in_a + from / groups;
        xt::view(to, xt::all(), xt::range(first, first + part)) =
            xt::view(a, xt::all(), xt::range(source, source + part));
    }
}

/// f(row of the operands, row of y) for a function of the table.
template <class Operations, class S>
void apply_to_rows(graph_view g, int i, node_values<S> const& value, xt::xtensor<S, 2>& y) {
    std::array<S const*, sluice::detail::most_operands> from{};
    std::array<std::size_t, sluice::detail::most_operands> step{};
    for (std::size_t r = 0; r < y.shape()[0]; ++r) {
        std::size_t count = 0;
        for (int const o : g.operands_of(i)) {
            auto const& z = value[static_cast<std::size_t>(o)];
            from[count] = z.data() + (z.shape()[0] == 1 ? 0 : r) * z.shape()[1];
            step[count++] = z.shape()[1] == 1 ? 0 : 1;
        }
        apply_function<Operations>(g[i].function, from.data(), step.data(), count, y.shape()[1],
                                   y.data() + r * y.shape()[1]);
    }
}

/// A vector in the columns or rows of a matrix, or the sum over them, in each row of the batch.
template <class S>
void stand(node const& n, std::size_t groups, xt::xtensor<S, 2> const& a, xt::xtensor<S, 2>& y) {
    bool const is_fold = n.kind == op::fold;
    std::size_t const all = (is_fold ? a : y).shape()[1], of_vector = (is_fold ? y : a).shape()[1];
    if (of_vector == 0)
        return;
    bool const in_columns = !n.stands(equation::stands::as_row);
    std::size_t const width = in_columns ? all / of_vector : of_vector / groups; // columns of the matrix
    for (std::size_t r = 0; r < y.shape()[0]; ++r)
        for (std::size_t k = 0; k < all; ++k) {
            std::size_t const group = k / (all / groups);
            std::size_t const v = in_columns ? k / width : group * width + k % width;
            if (is_fold)
                y(r, v) += a(r, k);
            else
                y(r, k) = a(a.shape()[0] == 1 ? 0 : r, v);
        }
}

/// Each row of a matrix value, of so many rows in all groups, times the block of its group.
template <class S>
xt::xtensor<S, 2> multiply_matrices(xt::xtensor<S, 2> const& a, xt::xtensor<S, 2> const& m,
                                    std::size_t keys) {
    std::size_t const groups = keys == 0 ? 1 : keys * m.shape()[0] / a.shape()[1];
    std::size_t const inner = m.shape()[0] / groups, columns = m.shape()[1] / groups;
    xt::xtensor<S, 2> y = xt::zeros<S>({a.shape()[0], keys * columns});
    for (std::size_t r = 0; r < y.shape()[0]; ++r)
        for (std::size_t i = 0; i < keys; ++i)
            for (std::size_t j = 0; j < columns; ++j)
                for (std::size_t k = 0, g = i * groups / keys; k < inner; ++k)
                    y(r, i * columns + j) += a(r, i * inner + k) * m(g * inner + k, g * columns + j);
    return y;
}
/// The sum of the outer products of the rows of two matrix values, those of a group in its block.
template <class S>
xt::xtensor<S, 2> outer_of_matrices(xt::xtensor<S, 2> const& a, xt::xtensor<S, 2> const& b, std::size_t keys,
                                    std::size_t rows, std::size_t columns) {
    xt::xtensor<S, 2> y = xt::zeros<S>({rows, columns});
    std::size_t const groups = keys == 0 ? 1 : keys * rows / a.shape()[1];
    for (std::size_t r = 0; r < a.shape()[0]; ++r)
        for (std::size_t i = 0; i < keys; ++i)
            for (std::size_t k = 0, g = i * groups / keys; k < rows / groups; ++k)
                for (std::size_t j = 0; j < columns / groups; ++j)
                    y(g * rows / groups + k, g * columns / groups + j) +=
                        a(r, i * rows / groups + k) * b(r, i * columns / groups + j);
    return y;
}

} // namespace detail

/// Computes every node that is not a leaf, in order. Leaves (but numbers and zeros) are there already. Sums
/// over time are of this step only.
template <class Operations, class S>
void evaluate(graph_view g, sizes const& extents, std::size_t batch, node_values<S>& value) {
    for (int i = 0; i < g.size(); ++i) {
        node const& n = g[i];
        auto const operand = [&](int k) -> xt::xtensor<S, 2> const& {
            return value[static_cast<std::size_t>(g.operand(i, k))];
        };
        std::size_t const groups = n.groups == no_axis ? 1 : g.extent(n.groups, extents);
        std::size_t const rows = n.shape.is_matrix() ? g.extent(n.shape.rows, extents)
                                 : n.shape.row       ? batch
                                                     : 1;
        std::size_t const columns = g.extent(n.shape.columns, extents);
        xt::xtensor<S, 2> y = xt::zeros<S>({rows, columns});
        auto const keys = [&] { // of the matrix values that are multiplied
            return g.extent(g.widths[g[g.operand(i)].shape.columns].rows, extents);
        };
        switch (n.kind) {
        case op::zero:
            break;
        case op::number:
            y.fill(static_cast<S>(n.value));
            break;
        case op::features:
            y.fill(static_cast<S>(operand(0).shape()[1] / groups));
            break;
        case op::pointwise:
            detail::apply_to_rows<Operations>(g, i, value, y);
            break;
        case op::reduce:
            for (std::size_t r = 0; r < rows; ++r)
                y(r, 0) = apply_reduction<Operations>(
                    n.function, operand(0).data() + r * operand(0).shape()[1], operand(0).shape()[1]);
            break;
        case op::reduce_groups:
        case op::scan:
            for (std::size_t r = 0; r < rows; ++r) {
                std::array<S const*, sluice::detail::most_operands> z{};
                for (int k = 0; k < n.count; ++k) // what is the same in all rows has one
                    z[static_cast<std::size_t>(k)] =
                        operand(k).data() + (operand(k).shape()[0] == 1 ? 0 : r) * columns;
                apply_to_row<Operations>(n.kind, n.function, z.data(), columns, columns / groups,
                                         y.data() + r * columns);
            }
            break;
        case op::product:
            if (g.is_matrix_value(i))
                y = detail::multiply_matrices(operand(0), operand(1), keys());
            else
                y = xt::linalg::dot(operand(0), operand(1));
            break;
        case op::outer:
            if (g.is_matrix_value(g.operand(i)))
                y = detail::outer_of_matrices(operand(0), operand(1), keys(), rows, columns);
            else
                y = xt::linalg::dot(xt::transpose(operand(0)), operand(1));
            if (n.shape.groups != no_axis) { // only the blocks belong to the matrix
                std::size_t const blocks = g.extent(n.shape.groups, extents);
                for (std::size_t r = 0; r < rows; ++r)
                    for (std::size_t c = 0; c < columns; ++c)
                        y(r, c) = r * blocks / rows == c * blocks / columns ? y(r, c) : S(0);
            }
            break;
        case op::total:
            y = xt::sum(operand(0), {0}, xt::keep_dims);
            break;
        case op::spread:
            y = xt::broadcast(operand(0), {rows, columns});
            break;
        case op::transpose:
            y = xt::transpose(operand(0));
            break;
        case op::repeat:
        case op::fold:
            detail::stand(n, groups, operand(0), y);
            break;
        case op::slice:
            detail::put_columns(operand(0), g.offset(n.from, extents), columns, groups, y, 0);
            break;
        case op::concat: {
            std::size_t before = 0;
            for (int k = 0; k < n.count; ++k) {
                detail::put_columns(operand(k), 0, operand(k).shape()[1], groups, y, before);
                before += operand(k).shape()[1];
            }
            break;
        }
        default: // a leaf that is given
            continue;
        }
        value[static_cast<std::size_t>(i)] = std::move(y);
    }
}

} // namespace sluice::xtensor
