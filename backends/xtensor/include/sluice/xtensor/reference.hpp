// SPDX-License-Identifier: BSL-1.0
// The reference lowering: the graph, evaluated node by node (xtensor/evaluate.hpp), one time step after the
// other.
//
// Where numbers are kept in another type than they are computed in (core/arithmetic.hpp), every node of a
// step is a tensor of arithmetic. Parameters, inputs and states are widened before the step; its output, next
// states, and backward the gradients of its inputs and states, are rounded behind it. The gradients of the
// parameters are summed over time in arithmetic, and rounded once.
#pragma once

#include <memory>
#include <sluice/lower/backend.hpp>
#include <sluice/lower/leaves.hpp>
#include <sluice/plan/plans.hpp>
#include <sluice/xtensor/evaluate.hpp>
#include <utility>

namespace sluice::xtensor {

namespace detail {

/// [in, out] of a parameter as the reference wants it, in arithmetic.
template <class Tensor>
auto as_matrix(Tensor const& t) {
    using number = arithmetic_of<typename Tensor::value_type>;
    using matrix = xt::xtensor<number, 2>;
    constexpr auto rank = std::tuple_size_v<typename Tensor::shape_type>;
    auto&& values = widened_tensor(t);
    if constexpr (rank == 0)
        return matrix({1, 1}, values());
    else if constexpr (rank == 1)
        return matrix(xt::view(values, xt::newaxis(), xt::all()));
    else if constexpr (rank == 2)
        return matrix(values);
    else {
        auto const [g, rows, columns] = t.shape();
        matrix full = xt::zeros<number>({g * rows, g * columns});
        for (std::size_t k = 0; k < g; ++k)
            xt::view(full, xt::range(k * rows, (k + 1) * rows), xt::range(k * columns, (k + 1) * columns)) =
                xt::view(values, k);
        return full;
    }
}

/// parameter += the blocks of a matrix.
template <class S, class Tensor>
void add_blocks(Tensor& t, xt::xtensor<S, 2> const& full) {
    constexpr auto rank = std::tuple_size_v<typename Tensor::shape_type>;
    if constexpr (rank < 2)
        for (std::size_t i = 0; i < t.size(); ++i)
            t.data()[i] += full(0, i);
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
    using operations = typename first::operations;
    using number = arithmetic_of<S>;
    using matrix = xt::xtensor<number, 2>;

public:
    using result = sequence_result<Equations, S>;

    struct tape : result {
        std::shared_ptr<sequence_input<Equations, S> const> input{};
        std::vector<state_map<Equations, S>> history{}; ///< the states before each step

        bool is_kept() const { return input != nullptr; }
        std::array<std::size_t, 2> shape() const { return {steps_of(input->xs), batch_of(input->xs)}; }
    };

    /// Every step is a sequence of one.
    class stepper : public step_tensors<Equations, S> {
    public:
        stepper(sizes const& n, std::size_t batch) : step_tensors<Equations, S>(n, batch) {}
        void refresh(reference_lowering const& lowering, cell_view<Equations, S> const& cell) {
            lowering_ = &lowering;
            cell_ = cell;
        }
        void set_state(state_map<Equations, S> const& from) { state_ = from; }
        void set_state(state_map<Equations, S> const& from, std::size_t row) { set_row(state_, from, row); }
        void copy_state(state_map<Equations, S>& to) const { to = state_; }
        void step() {
            auto found = lowering_->infer(cell_, {.xs = this->inputs, .state = state_});
            this->output = xt::reshape_view(found.outputs, this->output.shape());
            state_ = std::move(found.state);
        }

    private:
        reference_lowering const* lowering_ = nullptr;
        cell_view<Equations, S> cell_{};
        state_map<Equations, S> state_{};
    };

    void refresh(cell_view<Equations, S> const&) {}

    result infer(cell_view<Equations, S> const& cell, sequence_input<Equations, S> input) const {
        return run(cell, input, [](auto const&) {});
    }

    stepper prepare(cell_view<Equations, S> const& cell, std::size_t batch) const {
        stepper made(cell.extents, batch);
        refresh(cell, made);
        return made;
    }
    void refresh(cell_view<Equations, S> const& cell, stepper& of) const { of.refresh(*this, cell); }

    tape forward(cell_view<Equations, S> const& cell, sequence_input<Equations, S> input) const {
        std::vector<state_map<Equations, S>> history;
        tape kept{run(cell, input, [&](auto const& state) { history.push_back(state); })};
        kept.history = std::move(history);
        kept.input = std::make_shared<sequence_input<Equations, S> const>(std::move(input));
        return kept;
    }

    gradients<Equations, S> backward(cell_view<Equations, S> const& cell, tape const& forward,
                                     upstream_gradients<Equations, S> upstream) const {
        auto const& input = *forward.input;
        graph_view const g = second::gradient;
        std::size_t const steps = steps_of(input.xs), batch = batch_of(input.xs);
        row_times const rows = input.rows();
        gradients<Equations, S> found{.parameters = zero_parameters<Equations, S>(cell.extents)};
        for (std::size_t k = 0; k < all.inputs.size(); ++k)
            nth_input(found.inputs, k) = xt::zeros<S>(nth_input(input.xs, k).shape());
        auto sums = zero_parameters<Equations, number>(cell.extents);
        auto starts = zero_states<Equations, number>(cell.extents, batch); // gradients of those behind step 0
        auto value = leaves(cell, g);
        for (std::size_t t = batch > 0 ? steps : 0; t-- > 0;) {
            give_step(value, input, t, forward.history[t]);
            for (int i = second::given; i < g.size(); ++i) // gradients of rows that still run
                if (g[i].kind == op::cotangent) {
                    matrix& given = value[at(i)] =
                        xt::zeros<number>({batch, g.extent(g[i].shape.columns, cell.extents)});
                    for (std::size_t r = 0; r < batch; ++r) {
                        if (!rows.runs(t, r))
                            continue;
                        if (g[i].index == 0)
                            xt::view(given, r) = widened_tensor(xt::view(upstream.outputs, t, r));
                        for_each_entry(upstream.state, [&](int k, auto, auto const& state) {
                            if (k + 1 == g[i].index)
                                xt::view(given, r) = widened_tensor(xt::view(state, r));
                        });
                    }
                }
            evaluate<operations>(g, cell.extents, batch, value);
            for_each_entry(sums, [&](int i, auto, auto& tensor) {
                if (int const gradient = sluice::detail::gradient_of(second::gradient, all.parameters[at(i)]);
                    gradient >= 0)
                    detail::add_blocks<number>(tensor, value[at(gradient)]);
            });
            for (std::size_t r = 0; r < batch; ++r) {
                if (!rows.runs(t, r))
                    continue;
                for (std::size_t k = 0; k < all.inputs.size(); ++k)
                    put_row(value[at(sluice::detail::gradient_of(second::gradient, all.inputs[k]))], r,
                            xt::view(nth_input(found.inputs, k), t, r));
                for_each_entry(upstream.state, [&](int k, auto, auto& state) {
                    put_row(value[at(sluice::detail::gradient_of(second::gradient, all.states[at(k)]))], r,
                            xt::view(state, r));
                });
                if (rows.starts_anew(t, r)) // the step before gets nothing of it
                    for_each_parameter(starts, upstream.state, [&](auto, auto& sum, auto& state) {
                        for (std::size_t c = 0; c < state.shape()[1]; ++c)
                            sum(r, c) += widened(std::exchange(state(r, c), S(0)));
                    });
            }
        }
        if (!input.resets.is_none())
            for_each_parameter(upstream.state, starts, [&](auto, auto& state, auto& sum) {
                for (std::size_t i = 0; i < state.size(); ++i)
                    state.data()[i] = rounded<S>(sum.data()[i] + widened(state.data()[i]));
            });
        convert_n(sums.values().data(), sums.values().size(), found.parameters.values().data());
        found.state = std::move(upstream.state);
        if (!upstream.want_inputs)
            found.inputs = {};
        return found;
    }

private:
    plan_leaves all{second::graph, first::graph, first::entries};
    static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
    static void set_row(state_map<Equations, S>& states, state_map<Equations, S> const& to, std::size_t r) {
        for_each_parameter(
            states, to, [&](auto, auto& state, auto const& from) { xt::view(state, r) = xt::view(from, r); });
    }
    /// Row r of a value that may be the same in all rows or columns.
    template <class Row>
    static void put_row(matrix const& m, std::size_t r, Row&& row) {
        row = rounded_tensor<S>(xt::view(m, m.shape()[0] == 1 ? 0 : r));
    }

    template <class BeforeStep>
    result run(cell_view<Equations, S> const& cell, sequence_input<Equations, S> const& input,
               BeforeStep before) const {
        graph_view const g = second::graph;
        std::size_t const steps = steps_of(input.xs), batch = batch_of(input.xs);
        row_times const rows = input.rows();
        result found{.outputs = xt::zeros<S>({steps, batch, extent(first::output, cell.extents)}),
                     .state = input.state};
        auto value = leaves(cell, g);
        for (std::size_t t = 0; t < steps && batch > 0; ++t) { // xtensor-blas cannot do without rows
            for (std::size_t r = 0; r < batch; ++r)
                if (rows.starts_anew(t, r))
                    set_row(found.state, input.state, r);
            before(found.state);
            give_step(value, input, t, found.state);
            evaluate<operations>(g, cell.extents, batch, value);
            for (std::size_t r = 0; r < batch; ++r) {
                if (!rows.runs(t, r))
                    continue;
                put_row(value[at(all.output)], r, xt::view(found.outputs, t, r));
                for_each_entry(found.state, [&](int k, auto, auto& state) {
                    put_row(value[at(all.next[at(k)])], r, xt::view(state, r));
                });
            }
        }
        return found;
    }
    /// Values for the nodes of a graph, with parameters and settings in place.
    node_values<number> leaves(cell_view<Equations, S> const& cell, graph_view g) const {
        node_values<number> value(at(g.size()));
        for_each_entry(*cell.parameters, [&](int i, auto, auto const& tensor) {
            value[at(all.parameters[at(i)])] = detail::as_matrix(tensor);
        });
        for (std::size_t i = 0; i < all.settings.size(); ++i)
            value[at(all.settings[i])] = matrix({1, 1}, (*cell.settings)[i]);
        return value;
    }
    void give_step(node_values<number>& value, sequence_input<Equations, S> const& input, std::size_t t,
                   state_map<Equations, S> const& state) const {
        for (std::size_t k = 0; k < all.inputs.size(); ++k)
            value[at(all.inputs[k])] = widened_tensor(xt::view(nth_input(input.xs, k), t));
        for_each_entry(state, [&](int k, auto, auto const& tensor) {
            value[at(all.states[at(k)])] = widened_tensor(tensor);
        });
    }
};

struct reference {
    template <class Equations, class S>
    using lowering = reference_lowering<Equations, S>;
};

} // namespace sluice::xtensor
