// SPDX-License-Identifier: BSL-1.0
// The reference lowering: each node is one xtensor or xtensor-blas expression, assigned into a buffer that is
// its own. It runs any graph, for any scalar, one time step after the other; it is the definition of what a
// graph means.
#pragma once

#include <memory>
#include <sluice/core/xtensor.hpp>
#include <sluice/lower/backend.hpp>
#include <xtensor-blas/xlinalg.hpp>

namespace sluice::xtensor {

/// Values of the nodes of a graph: a vector is one row [1, width], a matrix [rows, width], a number [1, 1],
/// and block-diagonal matrices are the whole matrix, zeros included.
template <class S>
using node_values = std::vector<xt::xtensor<S, 2>>;

/// Computes every node that is not a leaf, in order. Leaves (but numbers and zeros) are there already.
template <class Activations, class S, std::size_t N>
void evaluate(graph<N> const& g, node_values<S>& value, std::size_t batch, std::size_t groups) {
    for (int i = 0; i < g.size(); ++i) {
        node const& n = g[i];
        auto& y = value[static_cast<std::size_t>(i)];
        auto const& a = value[static_cast<std::size_t>(n.a < 0 ? 0 : n.a)];
        auto const& b = value[static_cast<std::size_t>(n.b < 0 ? 0 : n.b)];
        switch (n.kind) {
        case op::number:
            y = xt::xtensor<S, 2>({1, 1}, static_cast<S>(n.value));
            break;
        case op::zero:
            y = xt::zeros_like(a);
            break;
        case op::add:
            y = a + b;
            break;
        case op::subtract:
            y = a - b;
            break;
        case op::multiply:
            y = a * b;
            break;
        case op::negate:
            y = -a;
            break;
        case op::apply:
            Activations::visit(n.index, [&](auto f) {
                y = xt::vectorize([](S z) { return static_cast<S>(decltype(f)::value(z)); })(a);
            });
            break;
        case op::product:
            y = xt::linalg::dot(a, b);
            break;
        case op::product_transposed:
            y = xt::linalg::dot(a, xt::transpose(b));
            break;
        case op::outer:
            y = xt::linalg::dot(xt::transpose(a), b);
            for (std::size_t r = 0; n.grouped && r < y.shape()[0];
                 ++r) // only the blocks belong to the matrix
                for (std::size_t c = 0; c < y.shape()[1]; ++c)
                    if (r * groups / y.shape()[0] != c * groups / y.shape()[1])
                        y(r, c) = S(0);
            break;
        case op::column_sum:
            y = xt::sum(a, {0}, xt::keep_dims);
            break;
        case op::spread:
            y = xt::broadcast(a, {batch, a.shape()[1]});
            break;
        default:
            break;
        }
    }
}

namespace detail {

/// [in, out] of a parameter as the reference wants it.
template <class S, class Tensor>
xt::xtensor<S, 2> as_matrix(Tensor const& t) {
    constexpr auto rank = std::tuple_size_v<typename Tensor::shape_type>;
    if constexpr (rank == 1)
        return xt::reshape_view(t, {std::size_t(1), t.shape()[0]});
    else if constexpr (rank == 2)
        return t;
    else {
        auto const [g, rows, columns] = t.shape();
        xt::xtensor<S, 2> full = xt::zeros<S>({g * rows, g * columns});
        for (std::size_t k = 0; k < g; ++k)
            xt::view(full, xt::range(k * rows, (k + 1) * rows), xt::range(k * columns, (k + 1) * columns)) =
                xt::view(t, k);
        return full;
    }
}

/// parameter += the blocks of a matrix.
template <class S, class Tensor>
void add_blocks(Tensor& t, xt::xtensor<S, 2> const& full) {
    constexpr auto rank = std::tuple_size_v<typename Tensor::shape_type>;
    if constexpr (rank == 1)
        t += xt::view(full, 0);
    else if constexpr (rank == 2)
        t += full;
    else
        for (std::size_t k = 0; k < t.shape()[0]; ++k) {
            std::size_t const rows = t.shape()[1], columns = t.shape()[2];
            xt::view(t, k) += xt::view(full, xt::range(k * rows, (k + 1) * rows),
                                       xt::range(k * columns, (k + 1) * columns));
        }
}

} // namespace detail

template <class Equations, class S>
class reference_lowering : public lowering_types<Equations, S> {
    using first = passes<Equations>;
    using second = plans<Equations>;
    using matrix = xt::xtensor<S, 2>;

public:
    struct tape {
        xt::xtensor<S, 3> outputs{};
        state_map<Equations, S> state{};
        std::shared_ptr<sequence_input<Equations, S> const> input{};
        std::vector<state_map<Equations, S>> history{}; ///< the states before each step

        bool is_kept() const { return input != nullptr; }
        std::array<std::size_t, 2> shape() const { return {input->xs.shape()[0], input->xs.shape()[1]}; }
    };

    void refresh(cell_view<Equations, S> const&) {}

    tape forward(cell_view<Equations, S> const& cell, sequence_input<Equations, S> input) const {
        auto const [steps, batch, width] = input.xs.shape();
        tape result{.outputs = xt::zeros<S>({steps, batch, extent(first::output, cell.extents)}),
                    .state = input.state};
        auto value = leaves<first::graph.capacity>(cell);
        for (std::size_t t = 0; t < steps && batch > 0; ++t) { // xtensor-blas cannot do without rows
            if (input.keep_tape)
                result.history.push_back(result.state);
            give_step(value, input, t, result.state);
            evaluate<typename first::activations>(first::graph, value, batch, cell.extents.groups);
            for (std::size_t r = 0; r < batch; ++r) {
                if (!input.lengths.empty() && t >= input.lengths[r])
                    continue;
                xt::view(result.outputs, t, r) = row(value[at(first::graph.results[0].at)], r);
                for_each_entry(result.state, [&](int i, auto, auto& state) {
                    xt::view(state, r) = row(value[at(first::next_of(i))], r);
                });
            }
        }
        if (input.keep_tape)
            result.input = std::make_shared<sequence_input<Equations, S> const>(std::move(input));
        return result;
    }

    gradients<Equations, S> backward(cell_view<Equations, S> const& cell, tape const& forward,
                                     upstream_gradients<Equations, S> upstream) const {
        auto const& input = *forward.input;
        auto const& g = second::gradient.whole;
        auto const [steps, batch, width] = input.xs.shape();
        gradients<Equations, S> result{.parameters = zero_parameters<Equations, S>(cell.extents),
                                       .inputs = xt::zeros<S>({steps, batch, width})};
        auto value = leaves<second::gradient.whole.capacity>(cell);
        for (std::size_t t = batch > 0 ? steps : 0; t-- > 0;) {
            give_step(value, input, t, forward.history[t]);
            auto const runs = [&](std::size_t r) { return input.lengths.empty() || t < input.lengths[r]; };
            for (int i = second::gradient.given; i < g.size(); ++i) { // gradients of rows that still run
                if (g[i].kind != op::seed)
                    continue;
                matrix seed = xt::zeros<S>({batch, extent(g[i].columns, cell.extents)});
                for (std::size_t r = 0; r < batch; ++r) {
                    if (runs(r) && g[i].index == 0)
                        xt::view(seed, r) = xt::view(upstream.outputs, t, r);
                    for_each_entry(upstream.state, [&](int k, auto, auto const& state) {
                        if (runs(r) && k + 1 == g[i].index)
                            xt::view(seed, r) = xt::view(state, r);
                    });
                }
                value[at(i)] = std::move(seed);
            }
            evaluate<typename first::activations>(g, value, batch, cell.extents.groups);
            for_each_entry(result.parameters, [&](int i, auto, auto& tensor) {
                detail::add_blocks<S>(tensor, value[at(second::gradient_of(first::parameters[i].at))]);
            });
            for (std::size_t r = 0; r < batch; ++r) {
                if (!runs(r))
                    continue;
                for (definition const& d : g.results)
                    if (g[d.of].kind == op::input)
                        xt::view(result.inputs, t, r) = row(value[at(d.at)], r);
                for_each_entry(upstream.state, [&](int k, auto, auto& state) {
                    xt::view(state, r) = row(value[at(second::gradient_of(first::states[k].at))], r);
                });
            }
        }
        result.state = std::move(upstream.state);
        if (!upstream.want_inputs)
            result.inputs = {};
        return result;
    }

private:
    static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

    /// Row r of a value that may be the same in all rows.
    static auto row(matrix const& m, std::size_t r) { return xt::view(m, m.shape()[0] == 1 ? 0 : r); }

    /// Values for a graph of that many nodes, with parameters and settings in place.
    template <std::size_t Nodes>
    static node_values<S> leaves(cell_view<Equations, S> const& cell) {
        node_values<S> value(Nodes);
        for_each_entry(*cell.parameters, [&](int i, auto, auto const& tensor) {
            value[at(first::parameters[i].at)] = detail::as_matrix<S>(tensor);
        });
        for (int i = 0; i < first::settings.size(); ++i)
            value[at(first::settings[i].at)] = matrix({1, 1}, (*cell.settings)[at(i)]);
        return value;
    }
    static void give_step(node_values<S>& value, sequence_input<Equations, S> const& input, std::size_t t,
                          state_map<Equations, S> const& state) {
        for (int i = 0; i < first::graph.size(); ++i)
            if (first::graph[i].kind == op::input)
                value[at(i)] = xt::view(input.xs, t);
        for_each_entry(state,
                       [&](int i, auto, auto const& tensor) { value[at(first::states[i].at)] = tensor; });
    }
};

struct reference {
    template <class Equations, class S>
    using lowering = reference_lowering<Equations, S>;
};

} // namespace sluice::xtensor
