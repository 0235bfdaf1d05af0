// SPDX-License-Identifier: BSL-1.0
// plan_lowering: the lowering of a backend that has kernels only. Forward runs the forward plan, backward the
// plan of the gradients, which reads the values that the forward plan kept.
#pragma once

#include <sluice/lower/execute.hpp>

namespace sluice {

template <class Equations, class S, class Kernels>
class plan_lowering : public lowering_types<Equations, S> {
    using first = passes<Equations>;
    using second = plans<Equations>;
    using forward_execution = detail::execution<Equations, S, direction::forward, Kernels>;
    using backward_execution = detail::execution<Equations, S, direction::backward, Kernels>;

    /// All that backward reads; its slots point into itself, so it is shared and never copied.
    struct memory {
        sequence_input<Equations, S> input;
        std::vector<scratch<S>> history{}; ///< of each state: [time + 1, batch, width]
        forward_execution run;

        memory(std::shared_ptr<memory_pool<S>> pool, sizes const& n, sequence_input<Equations, S> given)
            : input(std::move(given)), run(std::move(pool), n, input.xs.shape()[0], input.xs.shape()[1]) {}
        memory(memory const&) = delete;
        memory& operator=(memory const&) = delete;

        std::vector<bool> running(std::size_t t) const {
            std::vector<bool> rows;
            for (std::size_t length : input.lengths)
                rows.push_back(t < length);
            return rows;
        }
    };

public:
    struct tape {
        xt::xtensor<S, 3> outputs{};
        state_map<Equations, S> state{};
        std::shared_ptr<memory const> kept{};

        bool is_kept() const { return kept != nullptr; }
        std::array<std::size_t, 2> shape() const { return {kept->run.steps, kept->run.batch}; }
    };

    void refresh(cell_view<Equations, S> const& cell) { weights_.pack(cell); }

    tape forward(cell_view<Equations, S> const& cell, sequence_input<Equations, S> input) const {
        auto m = std::make_shared<memory>(pool_, cell.extents, std::move(input));
        auto& run = m->run;
        std::size_t const steps = run.steps, batch = run.batch;
        bind(cell, m->input.xs.data(), run);
        for_each_entry(m->input.state, [&](int i, auto, auto const& tensor) {
            state_entry const& state = first::states[i];
            std::size_t const count =
                detail::require_count("the history of a state", {steps + 1, tensor.size()});
            auto& values = m->history.emplace_back(pool_, count);
            std::copy_n(tensor.data(), tensor.size(), values.data());
            std::size_t const columns = extent(state.columns, cell.extents);
            run.source(state.at) = {values.data(), batch * columns, columns, 0};
        });

        run.run(phase::before, 0, steps, weights_, true);
        for (std::size_t t = 0; t < steps; ++t) {
            run.run(phase::loop, t, 1, weights_, true);
            auto const rows = m->running(t);
            for (int k = 0; k < first::states.size(); ++k) {
                state_entry const& state = first::states[k];
                slot<S> const history = run.source(state.at);
                std::size_t const columns = extent(state.columns, cell.extents);
                if (!rows.empty())
                    run.copy_rows(history, t, history, t + 1, columns, {});
                run.copy_rows(run.value(first::next_of(k)), t, history, t + 1, columns, rows);
            }
        }
        run.run(phase::after, 0, steps, weights_, true);

        tape result{.outputs = zeros(steps, batch, extent(first::output, cell.extents)),
                    .state = zero_states<Equations, S>(cell.extents, batch)};
        copy_out(run, first::graph.results[0].at, result.outputs, *m);
        for_each_entry(result.state, [&](int i, auto, auto& tensor) {
            std::copy_n(m->history[static_cast<std::size_t>(i)].data() + steps * tensor.size(), tensor.size(),
                        tensor.data());
        });
        if (m->input.keep_tape)
            result.kept = std::move(m);
        return result;
    }

    gradients<Equations, S> backward(cell_view<Equations, S> const& cell, tape const& forward,
                                     upstream_gradients<Equations, S> upstream) const {
        memory const& m = *forward.kept;
        std::size_t const steps = m.run.steps, batch = m.run.batch;
        backward_execution run(pool_, cell.extents, steps, batch);
        bind(cell, const_cast<S*>(m.input.xs.data()), run); // sources are only read
        std::vector<S> const nothing(widest(cell.extents), S(0));
        for (int i = 0; i < run.graph.size(); ++i) {
            if (i < second::gradient.given && (run.graph[i].kind == op::state || run.plan.saved[i]))
                run.source(i) = m.run.value(i);
            if (run.graph[i].kind == op::zero)
                run.source(i) = {const_cast<S*>(nothing.data()), 0, 0, 0};
        }
        std::size_t const columns = extent(first::output, cell.extents);
        for (std::size_t t = 0; t < steps && !m.input.lengths.empty(); ++t)
            for (std::size_t r = 0; r < batch; ++r)
                if (t >= m.input.lengths[r])
                    std::fill_n(upstream.outputs.data() + (t * batch + r) * columns, columns, S(0));
        if (int const seed = second::seed_of(0); seed >= 0)
            run.source(seed) = {upstream.outputs.data(), batch * columns, columns, 0};

        run.run(phase::before, 0, steps, weights_, upstream.want_inputs);
        for (std::size_t t = steps; t-- > 0;) {
            auto const rows = m.running(t);
            for_each_entry(upstream.state, [&](int i, auto, auto& tensor) {
                int const seed = second::seed_of(i + 1);
                if (seed < 0 || run.plan.homes[seed].empty())
                    return;
                slot<S> const to = run.value(seed);
                if (!rows.empty())
                    run.copy_rows({const_cast<S*>(nothing.data()), 0, 0, 0}, 0, to, t, tensor.shape()[1], {});
                run.copy_rows({tensor.data(), 0, tensor.shape()[1], 0}, 0, to, t, tensor.shape()[1], rows);
            });
            run.run(phase::loop, t, 1, weights_, upstream.want_inputs);
            for_each_entry(upstream.state, [&](int i, auto, auto& tensor) {
                run.copy_rows(run.value(second::gradient_of(first::states[i].at)), t,
                              {tensor.data(), 0, tensor.shape()[1], 0}, 0, tensor.shape()[1], rows);
            });
        }
        run.run(phase::after, 0, steps, weights_, upstream.want_inputs);

        gradients<Equations, S> result{.parameters = zero_parameters<Equations, S>(cell.extents),
                                       .state = std::move(upstream.state)};
        for_each_entry(result.parameters, [&](int i, auto, auto& tensor) {
            add_parameter_gradient(run, second::gradient_of(first::parameters[i].at), tensor.data(),
                                   tensor.size());
        });
        if (upstream.want_inputs) {
            result.inputs = zeros(steps, batch, m.input.xs.shape()[2]);
            for (definition const& d : run.graph.results)
                if (run.graph[d.of].kind == op::input)
                    copy_out(run, d.at, result.inputs, m);
        }
        return result;
    }

private:
    detail::weight_memory<Equations, S> weights_{};
    std::shared_ptr<memory_pool<S>> pool_ = std::make_shared<memory_pool<S>>();

    static xt::xtensor<S, 3> zeros(std::size_t steps, std::size_t batch, std::size_t columns) {
        return xt::zeros<S>({steps, batch, columns});
    }
    static std::size_t widest(sizes const& n) {
        std::size_t most = 0;
        for (int i = 0; i < first::graph.size(); ++i)
            most = std::max(most, extent(first::graph[i].columns, n));
        return most;
    }
    template <class Execution>
    static void bind(cell_view<Equations, S> const& cell, S* xs, Execution& run) {
        for (int i = 0; i < first::graph.size(); ++i) {
            std::size_t const columns = extent(first::graph[i].columns, cell.extents);
            if (first::graph[i].kind == op::input)
                run.source(i) = {xs, run.batch * columns, columns, 0};
        }
        for (int i = 0; i < first::settings.size(); ++i)
            run.source(first::settings[i].at) = {const_cast<S*>(cell.settings->data()) + i, 0, 0, 0};
        for_each_entry(*cell.parameters, [&](int i, auto, auto const& tensor) {
            run.source(first::parameters[i].at) = {const_cast<S*>(tensor.data()), 0, 0, 0};
        });
    }

    /// The values of a node at all time steps, for the rows that still run.
    template <class Execution>
    static void copy_out(Execution const& run, int node, xt::xtensor<S, 3>& to, memory const& m) {
        std::size_t const columns = to.shape()[2];
        for (std::size_t t = 0; t < run.steps; ++t)
            run.copy_rows(run.value(node), t, {to.data(), run.batch * columns, columns, 0}, t, columns,
                          m.running(t));
    }

    /// The gradient of a parameter: a vector, an outer product in the layout of its pack, or a sum of such.
    void add_parameter_gradient(backward_execution const& run, int node, S* to, std::size_t count) const {
        auto const& g = run.graph;
        if (g[node].kind == op::zero)
            return;
        if (g[node].form == shape::vector) {
            slot<S> const from = run.value(node);
            std::transform(from.data, from.data + count, to, to, std::plus<S>{});
        } else if (g[node].kind == op::outer) {
            matrix_home const at = run.plan.matrix_homes[node];
            auto const& p = run.plan.products[at.product];
            weights_.for_rows(p.pack, p.first + at.member, run.n, to,
                              run.matrices[static_cast<std::size_t>(at.product)].data(),
                              [](S* sum, S const* more, std::size_t columns) {
                                  std::transform(more, more + columns, sum, sum, std::plus<S>{});
                              });
        } else {
            add_parameter_gradient(run, g[node].a, to, count);
            add_parameter_gradient(run, g[node].b, to, count);
        }
    }
};

} // namespace sluice
