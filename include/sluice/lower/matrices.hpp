// SPDX-License-Identifier: BSL-1.0
// Matrices that are made of others, on the host: the weights that products multiply with, from the
// parameters, and the gradients of parameters, from outer products. Such an expression is linear: concat,
// slice, transpose, sums and multiples.
//
// A matrix lies as [groups, rows / groups, columns / groups], row-major, without a gap. All are made in arithmetic;
// those given are kept as an S, and widened when they are used.
#pragma once

#include <algorithm>
#include <sluice/core/fail.hpp>
#include <sluice/graph/operation.hpp>
#include <sluice/lower/kernels.hpp>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace sluice {

inline matrix_extents extents_of(graph_view g, axes const& shape, sizes const& n) {
    std::size_t const groups = shape.groups == no_axis ? 1 : g.extent(shape.groups, n);
    return {groups, g.extent(shape.rows, n) / groups, g.extent(shape.columns, n) / groups};
}

/// Values of matrix nodes, and of the numbers that they are multiplied with: those given, and what is made of
/// them.
template <class S>
class matrix_values {
    using number = arithmetic_of<S>;

public:
    matrix_values() = default;
    /// What `others` has need not be given again.
    matrix_values(graph_view g, sizes const& n, matrix_values const* others = nullptr)
        : graph_(g), n_(n), others_(others), given_(static_cast<std::size_t>(g.size())),
          made_(static_cast<std::size_t>(g.size())) {}

    void give(int node, S const* values) { given_[static_cast<std::size_t>(node)] = values; }
    /// Of a number that is not kept as an S.
    template <class T>
        requires(std::is_same_v<T, number> && !is_own_arithmetic<S>)
    void give(int node, T const* value) { made_[static_cast<std::size_t>(node)] = {*value}; }
    /// Memory for values of a node that are written there before they are read.
    S* place(int node) {
        auto& place = places_.emplace_back(extents(node).count());
        give(node, place.data());
        return place.data();
    }
    /// Keeps what was made only, so that what was given may go.
    void forget_given() { std::fill(given_.begin(), given_.end(), nullptr); }
    void forget_made() { std::fill(made_.begin(), made_.end(), std::vector<number>()); }
    /// Makes the node of what it depends on, unless it is there.
    arithmetic_of<S> const* make(int node);
    /// The values of a node, or null if they are not there.
    number const* find(int node) const {
        auto const i = static_cast<std::size_t>(node);
        if constexpr (is_own_arithmetic<S>)
            if (i < given_.size() && given_[i] != nullptr)
                return given_[i];
        if (i < made_.size() && !made_[i].empty())
            return made_[i].data();
        return others_ == nullptr ? nullptr : others_->find(node);
    }

private:
    graph_view graph_{};
    sizes n_{};
    matrix_values const* others_ = nullptr;
    std::vector<S const*> given_{};
    std::vector<std::vector<number>> made_{};
    std::vector<std::vector<S>> places_{};

    matrix_extents extents(int node) const {
        return graph_.is_matrix(node) ? extents_of(graph_, graph_[node].shape, n_) : matrix_extents{};
    }

    std::vector<number> compute(int i) {
        node const& n = graph_[i];
        matrix_extents const e = extents(i);
        std::vector<number> y(e.count());
        if (S const* const given = given_[static_cast<std::size_t>(i)]) {
            convert_n(given, y.size(), y.data());
            return y;
        }
        switch (n.kind) {
        case op::number:
            y[0] = static_cast<number>(n.value);
            break;
        case op::zero:
            break;
        case op::features:
            y[0] = static_cast<number>(graph_.extent(graph_[graph_.operand(i)].shape.columns, n_));
            break;
        case op::spread:
        case op::pointwise:
            combine(i, y);
            break;
        case op::transpose: {
            number const* const a = make(graph_.operand(i));
            for (std::size_t g = 0; g < e.groups; ++g)
                for (std::size_t r = 0; r < e.rows; ++r)
                    for (std::size_t c = 0; c < e.columns; ++c)
                        y[(g * e.rows + r) * e.columns + c] = a[(g * e.columns + c) * e.rows + r];
            break;
        }
        case op::slice:
            copy_columns(make(graph_.operand(i)), extents(graph_.operand(i)).columns,
                         graph_.offset(n.from, n_) / e.groups, y.data(), e.columns, 0, e);
            break;
        case op::concat: {
            std::size_t before = 0;
            for (int const o : graph_.operands_of(i)) {
                matrix_extents const part = extents(o);
                copy_columns(make(o), part.columns, 0, y.data(), e.columns, before, part);
                before += part.columns;
            }
            break;
        }
        default:
            throw_not_linear();
        }
        return y;
    }

    /// to[.., at + c] = from[.., first + c] for the rows and columns of e.
    static void copy_columns(number const* from, std::size_t from_columns, std::size_t first, number* to,
                             std::size_t to_columns, std::size_t at, matrix_extents const& e) {
        for (std::size_t r = 0; r < e.groups * e.rows; ++r)
            std::copy_n(from + r * from_columns + first, e.columns, to + r * to_columns + at);
    }

    void combine(int i, std::vector<number>& y) {
        auto const operand = [&](int k) {
            int const o = graph_.operand(i, k);
            std::size_t const step = extents(o).count() == 1 ? 0 : 1; // a number, or a matrix
            return [values = make(o), step](std::size_t c) { return values[c * step]; };
        };
        auto const each = [&](auto f) {
            for (std::size_t c = 0; c < y.size(); ++c)
                y[c] = f(c);
        };
        auto const a = operand(0);
        if (graph_[i].kind == op::spread || graph_[i].function == f_copy)
            return each(a);
        if (graph_[i].function == f_negate)
            return each([&](std::size_t c) { return -a(c); });
        auto const b = operand(graph_[i].count - 1);
        switch (graph_[i].count == 2 ? graph_[i].function : -1) {
        case f_add:
            return each([&](std::size_t c) { return a(c) + b(c); });
        case f_subtract:
            return each([&](std::size_t c) { return a(c) - b(c); });
        case f_multiply:
            return each([&](std::size_t c) { return a(c) * b(c); });
        case f_divide:
            return each([&](std::size_t c) { return a(c) / b(c); });
        default:
            throw_not_linear();
        }
    }

    [[noreturn]] static void throw_not_linear() {
        fail<std::logic_error>({"a matrix that products multiply with is made of others by sums, multiples, "
                                "transposes and parts only; this is a fault of the passes"});
    }
};

template <class S>
arithmetic_of<S> const* matrix_values<S>::make(int node) {
    if (number const* there = find(node))
        return there;
    std::vector<number> values = compute(node);
    auto& made = made_[static_cast<std::size_t>(node)];
    made = std::move(values);
    return made.data();
}

} // namespace sluice
