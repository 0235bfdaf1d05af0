// SPDX-License-Identifier: BSL-1.0
// The reference: the graph, evaluated node by node (xtensor/evaluate.hpp), one time step after the other.
//
// Where numbers are kept in another type than they are computed in (core/arithmetic.hpp), every node of a
// step is a tensor of arithmetic. Parameters, inputs and states are widened before the step; its output, next
// states, and backward the gradients of its inputs and states, are rounded after it. The gradients of the
// parameters are summed over time in arithmetic, and rounded once.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <sluice/backend/kernels.hpp>
#include <sluice/execute/leaves.hpp>
#include <sluice/net/lowering.hpp>
#include <sluice/plan/plans.hpp>
#include <sluice/xtensor/evaluate.hpp>
#include <utility>
#include <vector>

namespace sluice::xtensor {

template <class S>
class reference_engine final : public engine<S, no_kernels> {
    using base = engine<S, no_kernels>;
    using number = arithmetic_of<S>;
    using matrix = xt::xtensor<number, 2>;
    using states_type = std::vector<xt::xtensor<S, 2>>; ///< [batch, width] each

public:
    using typename base::numbers, typename base::program, typename base::tape;
    /// Of the page's functions.
    using evaluator = void (*)(graph_view, sizes const&, std::size_t batch, node_values<number>&);

    reference_engine(page_view const& page, evaluator evaluate)
        : graph_(page.graph), all_(page.leaves), evaluate_(evaluate) {}

    std::shared_ptr<base> copy() const override { return std::make_shared<reference_engine>(*this); }
    void refresh(numbers const&) override {}
    void infer(program const&, numbers const& cell, engine_sequence<S> const& given) const override {
        run(cell, given, [](states_type const&) {});
    }
    tape forward(program const&, numbers const& cell, engine_sequence<S> const& given) const override {
        auto made = std::make_shared<memory>(kept_rows(given.rows), given.steps, given.inputs);
        run(cell, given, [&](states_type const& state) { made->history.push_back(state); });
        return made;
    }
    void backward(program const& backward, numbers const& cell, tape const& of,
                  engine_gradients<S> const& found) const override;

    std::unique_ptr<stepper<S>> prepare(program const&, numbers const& cell, std::size_t batch,
                                        std::vector<S const*> const& inputs, S* output) const override {
        auto made = std::make_unique<steps>(batch, inputs, output);
        for (int const state : all_.states)
            made->state.push_back(xt::zeros<S>({batch, width(state, cell)}));
        refresh(cell, *made);
        return made;
    }
    void refresh(numbers const& cell, stepper<S>& of) const override {
        auto& own = static_cast<steps&>(of);
        own.runs = this;
        own.cell.emplace(cell);
    }

private:
    /// Every step is a sequence of one.
    struct steps final : stepper<S> {
        std::size_t batch;
        std::vector<S const*> inputs;
        S* output;
        states_type state{};
        reference_engine const* runs = nullptr;
        std::optional<numbers> cell{};

        steps(std::size_t rows, std::vector<S const*> const& from, S* to)
            : batch(rows), inputs(from), output(to) {}
        void set_state(std::size_t k, S const* from, std::size_t first, std::size_t last) override {
            std::size_t const columns = state[k].shape()[1];
            std::copy(from + first * columns, from + last * columns, state[k].data() + first * columns);
        }
        void copy_state(std::size_t k, S* to) const override {
            std::copy_n(state[k].data(), state[k].size(), to);
        }
        void step(S const* first) override {
            engine_sequence<S> given{
                .steps = 1, .rows = {.batch = batch}, .inputs = inputs, .outputs = output};
            if (!given.inputs.empty())
                given.inputs[0] = first;
            states_type next = state;
            for (std::size_t k = 0; k < state.size(); ++k) {
                given.states.push_back(state[k].data());
                given.final_states.push_back(next[k].data());
            }
            runs->infer({}, *cell, given);
            state = std::move(next);
        }
    };
    /// What backward reads; the inputs are the caller's.
    struct memory {
        kept_rows rows;
        std::size_t steps;
        std::vector<S const*> inputs;
        std::vector<states_type> history{}; ///< the states before each step

        memory(kept_rows kept, std::size_t count, std::vector<S const*> from)
            : rows(std::move(kept)), steps(count), inputs(std::move(from)) {}
    };

    graph_view graph_;
    plan_leaves all_;
    evaluator evaluate_;

    static constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }
    std::size_t width(int node, numbers const& cell) const {
        return graph_.extent(graph_[node].shape.columns, cell.extents);
    }
    /// [batch, width] of numbers that lie there.
    static matrix widened_rows(S const* from, std::size_t batch, std::size_t columns) {
        auto made = matrix::from_shape({batch, columns});
        for (std::size_t i = 0; i < made.size(); ++i)
            made.data()[i] = widened(from[i]);
        return made;
    }
    /// A parameter as a matrix: a vector is one row, a grouped matrix the whole of it, zeros included.
    static matrix matrix_of(tensor_place const& place, std::span<S const> values) {
        auto const [groups, rows, columns] = place.extents;
        matrix made = xt::zeros<number>({groups * rows, groups * columns});
        for_each_number(place, [&](std::size_t i, std::size_t r, std::size_t c) {
            made(r, c) = widened(place.in(values)[i]);
        });
        return made;
    }
    /// f(place of a number among those of its parameter, its row and column in the whole matrix)
    template <class F>
    static void for_each_number(tensor_place const& place, F const& f) {
        auto const [groups, rows, columns] = place.extents;
        std::size_t i = 0;
        for (std::size_t g = 0; g < groups; ++g)
            for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t c = 0; c < columns; ++c)
                    f(i++, g * rows + r, g * columns + c);
    }
    /// Row r of a value that may be the same in all rows or columns.
    static void put_row(matrix const& m, std::size_t r, std::size_t columns, S* to) {
        std::size_t const row = m.shape()[0] == 1 ? 0 : r;
        for (std::size_t c = 0; c < columns; ++c)
            to[c] = rounded<S>(m(row, m.shape()[1] == 1 ? 0 : c));
    }

    /// Values for the nodes of a graph, with parameters and settings in place.
    node_values<number> leaves(numbers const& cell, graph_view g) const {
        node_values<number> value(at(g.size()));
        for (std::size_t i = 0; i < all_.parameters.size(); ++i)
            value[at(all_.parameters[i])] = matrix_of(cell.places[i], cell.parameters);
        for (std::size_t i = 0; i < all_.settings.size(); ++i)
            value[at(all_.settings[i])] = matrix({1, 1}, cell.settings[i]);
        return value;
    }
    void give_step(node_values<number>& value, numbers const& cell, std::vector<S const*> const& inputs,
                   std::size_t batch, std::size_t t, states_type const& state) const {
        for (std::size_t k = 0; k < all_.inputs.size(); ++k) {
            std::size_t const columns = width(all_.inputs[k], cell);
            value[at(all_.inputs[k])] = widened_rows(inputs[k] + t * batch * columns, batch, columns);
        }
        for (std::size_t k = 0; k < state.size(); ++k)
            value[at(all_.states[k])] = widened_tensor(state[k]);
    }

    /// before(states) each step.
    template <class BeforeStep>
    void run(numbers const& cell, engine_sequence<S> const& given, BeforeStep const& before) const {
        std::size_t const batch = given.rows.batch, columns = width(all_.output, cell);
        states_type start;
        for (std::size_t k = 0; k < all_.states.size(); ++k) {
            auto& one = start.emplace_back(xt::zeros<S>({batch, width(all_.states[k], cell)}));
            if (given.states[k] != nullptr)
                std::copy_n(given.states[k], one.size(), one.data());
        }
        states_type state = start;
        std::fill_n(given.outputs, given.steps * batch * columns, S(0));
        auto value = leaves(cell, graph_);
        for (std::size_t t = 0; t < given.steps && batch > 0; ++t) { // xtensor-blas cannot do without rows
            for (std::size_t r = 0; r < batch; ++r)
                if (given.rows.starts_anew(t, r))
                    for (std::size_t k = 0; k < state.size(); ++k)
                        xt::view(state[k], r) = xt::view(start[k], r);
            before(state);
            give_step(value, cell, given.inputs, batch, t, state);
            evaluate_(graph_, cell.extents, batch, value);
            for (std::size_t r = 0; r < batch; ++r) {
                if (!given.rows.runs(t, r))
                    continue;
                put_row(value[at(all_.output)], r, columns, given.outputs + (t * batch + r) * columns);
                for (std::size_t k = 0; k < state.size(); ++k)
                    put_row(value[at(all_.next[k])], r, state[k].shape()[1], &state[k](r, 0));
            }
        }
        for (std::size_t k = 0; k < state.size(); ++k)
            std::copy_n(state[k].data(), state[k].size(), given.final_states[k]);
    }
};

template <class S>
void reference_engine<S>::backward(program const& backward, numbers const& cell, tape const& of,
                                   engine_gradients<S> const& found) const {
    memory const& kept = *static_cast<memory const*>(of.get());
    graph_view const g = backward.graph;
    row_times const rows = kept.rows.rows();
    std::size_t const batch = rows.batch, columns = width(all_.output, cell);
    auto const gradient_of = [&](int leaf) { return sluice::detail::gradient_of(g, leaf); };
    std::vector<std::vector<number>> sums;
    for (tensor_place const& place : cell.places)
        sums.emplace_back(place.count());
    states_type state;
    std::vector<matrix> starts; // gradients of those before step 0
    for (std::size_t k = 0; k < all_.states.size(); ++k) {
        auto& one = state.emplace_back(xt::zeros<S>({batch, width(all_.states[k], cell)}));
        std::copy_n(found.final_states[k], one.size(), one.data());
        starts.push_back(xt::zeros<number>({batch, one.shape()[1]}));
    }
    for (std::size_t k = 0; k < found.inputs.size() && k < all_.inputs.size(); ++k)
        std::fill_n(found.inputs[k], kept.steps * batch * width(all_.inputs[k], cell), S(0));

    auto value = leaves(cell, g);
    for (std::size_t t = batch > 0 ? kept.steps : 0; t-- > 0;) {
        give_step(value, cell, kept.inputs, batch, t, kept.history[t]);
        for (int i = 0; i < g.size(); ++i) // gradients of rows that still run
            if (g[i].kind == op::cotangent) {
                std::size_t const wide = g.extent(g[i].shape.columns, cell.extents);
                S const* const from =
                    g[i].index == 0 ? found.outputs + t * batch * columns : state[at(g[i].index - 1)].data();
                value[at(i)] = widened_rows(from, batch, wide);
                for (std::size_t r = 0; r < batch; ++r)
                    if (!rows.runs(t, r))
                        xt::view(value[at(i)], r) = number(0);
            }
        evaluate_(g, cell.extents, batch, value);
        for (std::size_t i = 0; i < sums.size(); ++i)
            if (int const gradient = gradient_of(all_.parameters[i]); gradient >= 0) {
                matrix const& whole = value[at(gradient)];
                for_each_number(cell.places[i], [&](std::size_t n, std::size_t r, std::size_t c) {
                    sums[i][n] += whole(r, c);
                });
            }
        for (std::size_t r = 0; r < batch; ++r) {
            if (!rows.runs(t, r))
                continue;
            for (std::size_t k = 0; k < found.inputs.size() && k < all_.inputs.size(); ++k) {
                std::size_t const wide = width(all_.inputs[k], cell);
                put_row(value[at(gradient_of(all_.inputs[k]))], r, wide,
                        found.inputs[k] + (t * batch + r) * wide);
            }
            for (std::size_t k = 0; k < state.size(); ++k) {
                std::size_t const wide = state[k].shape()[1];
                put_row(value[at(gradient_of(all_.states[k]))], r, wide, &state[k](r, 0));
                if (rows.starts_anew(t, r)) // the step before gets nothing of it
                    for (std::size_t c = 0; c < wide; ++c)
                        starts[k](r, c) += widened(std::exchange(state[k](r, c), S(0)));
            }
        }
    }
    for (std::size_t k = 0; k < state.size(); ++k)
        for (std::size_t i = 0; i < state[k].size(); ++i)
            found.states[k][i] = rows.resets.empty()
                                     ? state[k].data()[i]
                                     : rounded<S>(starts[k].data()[i] + widened(state[k].data()[i]));
    for (std::size_t i = 0; i < sums.size(); ++i)
        convert_n(sums[i].data(), sums[i].size(), cell.places[i].in(found.parameters).data());
}

template <class Page, class S>
struct reference_lowering {
    using kernels_type = no_kernels;
    using second = plans<Page>;

    static std::shared_ptr<engine<S, no_kernels>> make(cell_numbers<S> const&) {
        return std::make_shared<reference_engine<S>>(
            page_view{second::graph, second::leaves},
            &evaluate<typename passes<Page>::operations, arithmetic_of<S>>);
    }
    static sweep_program<S, no_kernels> inference_program() { return {second::graph, second::inference}; }
    static sweep_program<S, no_kernels> forward_program() { return inference_program(); }
    static sweep_program<S, no_kernels> backward_program() { return {second::gradient}; }
};

struct reference {
    template <class Equations, class S>
    using lowering = reference_lowering<Equations, S>;
};

} // namespace sluice::xtensor
