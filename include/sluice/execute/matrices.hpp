// SPDX-License-Identifier: BSL-1.0
// Matrices that are made of others: the weights that products multiply with, from the parameters, and the
// gradients of parameters, from outer products. Such an expression is linear: concat, slice, transpose, sums
// and multiples.
//
// They are made on the host, or by kernels that have `arrange` in the memory of the backend; all that is
// given lies there too. A matrix lies as [groups, rows / groups, columns / groups], row-major, without a gap.
// All are made in arithmetic; those given are kept as an S, and widened when they are used.
#pragma once

#include <algorithm>
#include <memory>
#include <sluice/backend/kernels.hpp>
#include <sluice/core/fail.hpp>
#include <sluice/core/unwritten.hpp>
#include <sluice/graph/operations.hpp>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace sluice {

inline matrix_extents extents_of(graph_view g, axes const& shape, sizes const& n) {
    std::size_t const groups = shape.groups == no_axis ? 1 : g.extent(shape.groups, n);
    return {groups, g.extent(shape.rows, n) / groups, g.extent(shape.columns, n) / groups};
}

/// Makes numbers on the host.
struct host_numbers {
    template <class T>
    using array = detail::unwritten<T>;

    template <class T>
    array<T> room(std::size_t count) const {
        return array<T>(count);
    }
    /// As that of kernels.
    template <class From, class By, class To>
    void arrange(std::size_t rows, std::size_t columns, double factor, strided<From const> const& a,
                 strided<By const> const& by, bool divide, strided<To> const& to, bool add) const {
        using number = arithmetic_of<To>;
        auto const times = static_cast<number>(factor);
        for (std::size_t i = 0; i < rows; ++i) {
            To* const row = to.data + i * to.row;
            if constexpr (std::is_same_v<From, To>)
                if (factor == 1 && a.data != nullptr && by.data == nullptr && !add && a.column == 1 &&
                    to.column == 1) {
                    std::copy_n(a.data + i * a.row, columns, row);
                    continue;
                }
            for (std::size_t j = 0; j < columns; ++j) {
                number value = times;
                if (a.data != nullptr)
                    value *= widened(a.data[i * a.row + j * a.column]);
                if (by.data != nullptr) {
                    number const b = widened(by.data[i * by.row + j * by.column]);
                    value = divide ? value / b : value * b;
                }
                To& place = row[j * to.column];
                place = rounded<To>(add ? widened(place) + value : value);
            }
        }
    }
};

/// Makes them in the memory of a backend.
template <class Kernels>
struct backend_numbers {
    Kernels const& kernels;

    template <class T>
    class array {
    public:
        array() = default;
        array(Kernels const& with, std::size_t count)
            : numbers_(with.template allocate<T>(count),
                       [with, count](T* p) { with.template release<T>(p, count); }) {}
        T* data() const { return numbers_.get(); }
        bool empty() const { return numbers_ == nullptr; }

    private:
        std::shared_ptr<T> numbers_{};
    };

    template <class T>
    array<T> room(std::size_t count) const {
        return {kernels, count};
    }
    template <class From, class By, class To>
    void arrange(std::size_t rows, std::size_t columns, double factor, strided<From const> const& a,
                 strided<By const> const& by, bool divide, strided<To> const& to, bool add) const {
        kernels.arrange(rows, columns, factor, a, by, divide, to, add);
    }
};

/// Who makes the matrices that kernels multiply with.
template <class Kernels, class S>
using numbers_of =
    std::conditional_t<has_arrange<Kernels, S> && !Kernels::is_host, backend_numbers<Kernels>, host_numbers>;
template <class Kernels, class S>
inline constexpr bool makes_matrices = std::is_same_v<numbers_of<Kernels, S>, backend_numbers<Kernels>>;
template <class S, class Kernels>
numbers_of<Kernels, S> numbers_with(Kernels const& kernels) {
    if constexpr (makes_matrices<Kernels, S>)
        return {kernels};
    else
        return {};
}

/// Values of matrix nodes, and of the numbers that they are multiplied with: those given, and what is made of
/// them.
template <class S, class Numbers = host_numbers>
class matrix_values {
    using number = arithmetic_of<S>;
    using array = typename Numbers::template array<number>;
    using part = strided<number const>; ///< of what is made of
    static constexpr part one{};

public:
    matrix_values() = default;
    /// What `others` has need not be given again.
    matrix_values(graph_view g, sizes const& n, matrix_values const* others = nullptr)
        : graph_(g), n_(n), others_(others), given_(static_cast<std::size_t>(g.size())),
          settings_(static_cast<std::size_t>(g.size())), made_(static_cast<std::size_t>(g.size())) {}

    void give(int node, S const* values) { given_[static_cast<std::size_t>(node)] = values; }
    /// Of a number on the host that is not kept as an S.
    template <class T>
        requires(std::is_same_v<T, number> && !is_own_arithmetic<S>)
    void give(int node, T const* value) { settings_[static_cast<std::size_t>(node)] = value; }
    /// Memory on the host for values of a node that are written there before they are read.
    S* place(int node) {
        auto& place = places_.emplace_back(extents(node).count());
        give(node, place.data());
        return place.data();
    }
    /// Keeps what was made only, so that what was given may go.
    void forget_given() {
        std::fill(given_.begin(), given_.end(), nullptr);
        std::fill(settings_.begin(), settings_.end(), nullptr);
    }
    void forget_made() { std::fill(made_.begin(), made_.end(), array()); }
    /// Makes the node of what it depends on, unless it is there.
    number const* make(int node, Numbers const& with = {});
    /// Makes it in memory that is not its own.
    void make_at(int node, number* to, Numbers const& with = {}) {
        if (number const* const there = find(node))
            there == to ? void() : copy(there, count(node), to, with);
        else
            compute(node, to, with);
    }
    /// The matrices whose columns side by side are the node's: the operands of one that puts them so, or
    /// itself.
    std::vector<matrix_columns<number>> side_by_side(int node, Numbers const& with = {}) {
        std::vector<matrix_columns<number>> all;
        if (graph_[node].kind == op::concat && find(node) == nullptr)
            for (int const o : graph_.operands_of(node))
                all.push_back({make(o, with), extents(o).columns});
        else
            all.push_back({make(node, with), extents(node).columns});
        return all;
    }
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
    std::size_t count(int node) const { return extents(node).count(); }

private:
    graph_view graph_{};
    sizes n_{};
    matrix_values const* others_ = nullptr;
    std::vector<S const*> given_{};
    std::vector<number const*> settings_{};
    std::vector<array> made_{};
    std::vector<std::vector<S>> places_{};

    matrix_extents extents(int node) const {
        return graph_.is_matrix(node) ? extents_of(graph_, graph_[node].shape, n_) : matrix_extents{};
    }

    static void copy(number const* from, std::size_t count, number* to, Numbers const& with) {
        with.arrange(1, count, 1, part{from, 0, 1}, one, false, strided<number>{to, 0, 1}, false);
    }

    void compute(int i, number* y, Numbers const& with) {
        node const& n = graph_[i];
        matrix_extents const e = extents(i);
        auto const all = [&](double factor, part const& a) {
            with.arrange(1, e.count(), factor, a, one, false, strided<number>{y, 0, 1}, false);
        };
        if (S const* const given = given_[static_cast<std::size_t>(i)]) {
            with.arrange(1, e.count(), 1, strided<S const>{given, 0, 1}, one, false, strided<number>{y, 0, 1},
                         false);
            return;
        }
        if (number const* const setting = settings_[static_cast<std::size_t>(i)]) {
            all(static_cast<double>(*setting), one);
            return;
        }
        switch (n.kind) {
        case op::number:
            all(n.value, one);
            break;
        case op::zero:
            all(0, one);
            break;
        case op::features:
            all(static_cast<double>(graph_.extent(graph_[graph_.operand(i)].shape.columns, n_)), one);
            break;
        case op::spread:
        case op::pointwise:
            combine(i, y, e.count(), with);
            break;
        case op::transpose: {
            number const* const a = make(graph_.operand(i), with);
            for (std::size_t g = 0; g < e.groups; ++g)
                with.arrange(e.rows, e.columns, 1, part{a + g * e.rows * e.columns, 1, e.rows}, one, false,
                             strided<number>{y + g * e.rows * e.columns, e.columns, 1}, false);
            break;
        }
        case op::slice:
            copy_columns(make(graph_.operand(i), with), extents(graph_.operand(i)).columns,
                         graph_.offset(n.from, n_) / e.groups, y, e.columns, 0, e, with);
            break;
        case op::concat: {
            std::size_t before = 0;
            for (int const o : graph_.operands_of(i)) {
                matrix_extents const of = extents(o);
                copy_columns(make(o, with), of.columns, 0, y, e.columns, before, of, with);
                before += of.columns;
            }
            break;
        }
        default:
            throw_not_linear();
        }
    }

    /// to[.., at + c] = from[.., first + c] for the rows and columns of e.
    static void copy_columns(number const* from, std::size_t from_columns, std::size_t first, number* to,
                             std::size_t to_columns, std::size_t at, matrix_extents const& e,
                             Numbers const& with) {
        with.arrange(e.groups * e.rows, e.columns, 1, part{from + first, from_columns, 1}, one, false,
                     strided<number>{to + at, to_columns, 1}, false);
    }

    /// y[c] = a function of the operands' [c]; a number is the same everywhere.
    void combine(int i, number* y, std::size_t count, Numbers const& with) {
        auto const operand = [&](int k) {
            int const o = graph_.operand(i, k);
            std::size_t const step = extents(o).count() == 1 ? 0 : 1; // a number, or a matrix
            return part{make(o, with), 0, step};
        };
        auto const put = [&](double factor, part const& a, part const& by, bool divide, bool add) {
            with.arrange(1, count, factor, a, by, divide, strided<number>{y, 0, 1}, add);
        };
        part const a = operand(0);
        if (graph_[i].kind == op::spread || graph_[i].function == f_copy)
            return put(1, a, one, false, false);
        if (graph_[i].function == f_negate)
            return put(-1, a, one, false, false);
        part const b = operand(graph_[i].count - 1);
        switch (graph_[i].count == 2 ? graph_[i].function : -1) {
        case f_add:
        case f_subtract:
            put(1, a, one, false, false);
            return put(graph_[i].function == f_add ? 1 : -1, b, one, false, true);
        case f_multiply:
            return put(1, a, b, false, false);
        case f_divide:
            return put(1, a, b, true, false);
        default:
            throw_not_linear();
        }
    }

    [[noreturn]] static void throw_not_linear() {
        fail<std::logic_error>({"a matrix that products multiply with is made of others by sums, multiples, "
                                "transposes and parts only; this is a fault of the passes"});
    }
};

template <class S, class Numbers>
arithmetic_of<S> const* matrix_values<S, Numbers>::make(int node, Numbers const& with) {
    if (number const* there = find(node))
        return there;
    array values = with.template room<number>(extents(node).count());
    compute(node, values.data(), with);
    auto& made = made_[static_cast<std::size_t>(node)];
    made = std::move(values);
    return made.data();
}

} // namespace sluice
