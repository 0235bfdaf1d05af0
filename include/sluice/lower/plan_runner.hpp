// SPDX-License-Identifier: BSL-1.0
// Runs the plans of one set of equations with the kernels of a backend. Graphs and plans are values here,
// and tensors addresses in the order of the equations, so that it is no template over them: plan_lowering
// adds the names.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <sluice/core/arithmetic.hpp>
#include <sluice/lower/endless.hpp>
#include <sluice/lower/leaves.hpp>
#include <sluice/lower/parts.hpp>
#include <sluice/lower/run.hpp>
#include <sluice/parameter/arena.hpp>
#include <span>
#include <vector>

namespace sluice {

/// A cell whose parameters and settings have no names.
template <class S>
struct cell_numbers {
    sizes const& extents;
    arena<S> const& parameters;
    std::vector<arithmetic_of<S>> const& settings;
};

/// Where the tensors of a sequence lie.
template <class S>
struct sequence_numbers {
    std::vector<S const*> inputs{}; ///< [time, batch, width] each
    std::vector<S const*> states{}; ///< [batch, width] each
    std::vector<S*> final_states{}; ///< the same
    S* outputs = nullptr;           ///< [time, batch, output]
    row_times rows{};
};

/// Where its gradients lie. Those of the states come in and go out in the same place.
template <class S>
struct gradient_numbers {
    std::span<S> parameters{};
    std::span<tensor_place const> places{}; ///< of each parameter there
    std::vector<S*> inputs{};               ///< none: they are not wanted
    std::vector<S*> states{};
    S const* outputs = nullptr;
    row_times rows{};
};

template <class S, class Kernels>
class plan_runner {
public:
    using run_type = sweep_run<S, Kernels>;
    using endless_type = endless_run<S, Kernels>;
    using weights_type = typename run_type::weights_type;
    using pool_type = typename run_type::pool_type;
    using program = sweep_program<S, Kernels>;

    /// The entries are nodes of `named`; `g`, the graph of the forward plans, has the same names.
    plan_runner(graph_view g, graph_view named, basic_entries<view> const& entries);

    pool_type const& pool() const { return pool_; }
    plan_leaves const& leaves() const { return leaves_; }

    /// After every change of the parameters.
    void refresh(cell_numbers<S> const& cell, graph_view g, plan_view inference);

    /// Runs a forward plan and keeps nothing.
    void infer(cell_numbers<S> const& cell, program const& inference, std::size_t steps, std::size_t batch,
               sequence_numbers<S> const& numbers) const;
    /// Runs a forward plan; `run` has its memory.
    void forward(cell_numbers<S> const& cell, run_type& run, sequence_numbers<S> const& numbers) const;
    /// Runs the backward plan behind the forward run of a tape.
    void backward(cell_numbers<S> const& cell, program const& backward, run_type const& forward,
                  gradient_numbers<S> const& numbers) const;
    /// Makes steps read the parameters that there are now.
    void refresh(cell_numbers<S> const& cell, endless_type& steps) const;
    /// What steps read as long as they run.
    std::shared_ptr<void const> made() const { return derived_; }

private:
    /// What is made of the parameters once, when they have changed.
    struct derived {
        weights_type forward;
        transfers<S, Kernels> sent;
        leaf_values<S> there{}; ///< on the device, where there is one

        std::mutex mutex{};
        std::optional<weights_type> backward{}; ///< what backward multiplies with besides

        derived(pool_type const& pool, graph_view g, sizes const& n) : forward(g, n), sent(pool) {}
    };

    plan_leaves leaves_;
    pool_type pool_ = std::make_shared<memory_pool<S, Kernels>>();
    std::shared_ptr<derived> derived_{}; ///< copies of a cell share it until the parameters of one change

    static leaf_values<S> values_of(cell_numbers<S> const& cell);
    /// What matrices are made of.
    leaf_values<S> matrix_leaves(cell_numbers<S> const& cell) const {
        return makes_matrices<Kernels, S> ? derived_->there : values_of(cell);
    }
    /// Says where parameters and settings lie, and what the plan multiplies with.
    template <class Run>
    weights_type give_parameters(cell_numbers<S> const& cell, Run& run, weights_type const& made) const;
    /// The most rows of a matrix that a hoisted product multiplies with.
    std::size_t depth_of(cell_numbers<S> const& cell, program const& inference) const;
    /// Runs a part of a sequence behind those before it; its states are at last where the final ones are to
    /// be.
    void run_part(run_type& run, weights_type const& matrices, sequence_numbers<S> const& numbers,
                  sequence_part const& part, std::size_t batch, std::vector<std::size_t>& lengths) const;
    /// The first backward behind a change makes it.
    weights_type const& backward_weights(cell_numbers<S> const& cell, program const& backward) const;
};

template <class S, class Kernels>
plan_runner<S, Kernels>::plan_runner(graph_view g, graph_view named, basic_entries<view> const& entries)
    : leaves_(g, named, entries) {}

template <class S, class Kernels>
void plan_runner<S, Kernels>::refresh(cell_numbers<S> const& cell, graph_view g, plan_view inference) {
    auto made = std::make_shared<derived>(pool_, g, cell.extents);
    auto const values = values_of(cell);
    if (!Kernels::is_host)
        made->there = values.send(leaves_, g, cell.extents, made->sent);
    derived_ = std::move(made); // what was made before makes room
    matrix_leaves(cell).give(leaves_, derived_->forward.values);
    derived_->forward.make(pool_->kernels(), inference);
    derived_->forward.values.forget_given();
}

template <class S, class Kernels>
void plan_runner<S, Kernels>::infer(cell_numbers<S> const& cell, program const& inference, std::size_t steps,
                                    std::size_t batch, sequence_numbers<S> const& numbers) const {
    sequence_part const whole{.rows = batch, .steps = steps};
    auto const usual = Kernels::is_host ? usual_part<S>(inference.plan, cell.extents,
                                                        depth_of(cell, inference), steps, batch)
                                        : whole;
    if (usual == whole || steps == 0) {
        run_type run(pool_, inference, cell.extents, steps, batch);
        return forward(cell, run, numbers);
    }
    [[maybe_unused]] auto const session = detail::session_of(pool_->kernels());
    std::vector<std::size_t> lengths;
    for (std::size_t row = 0; row < batch; row += usual.rows) {
        std::size_t const rows = std::min(usual.rows, batch - row);
        run_type run(pool_, inference, cell.extents, usual.steps, rows);
        auto const matrices = give_parameters(cell, run, derived_->forward);
        for (std::size_t t = 0; t < steps; t += usual.steps)
            run_part(run, matrices, numbers, {row, rows, t, std::min(usual.steps, steps - t)}, batch,
                     lengths);
    }
}

template <class S, class Kernels>
std::size_t plan_runner<S, Kernels>::depth_of(cell_numbers<S> const& cell, program const& inference) const {
    std::size_t deepest = 0;
    for (task const& t : inference.plan.tasks)
        if (t.kind == task_kind::product && t.when == phase::before)
            deepest = std::max(
                deepest, extents_of(inference.graph, inference.graph[t.weight].shape, cell.extents).rows);
    return deepest;
}

template <class S, class Kernels>
void plan_runner<S, Kernels>::run_part(run_type& run, weights_type const& matrices,
                                       sequence_numbers<S> const& numbers, sequence_part const& part,
                                       std::size_t batch, std::vector<std::size_t>& lengths) const {
    std::size_t const first = part.first_step * batch + part.first_row; // row of [time, batch]
    auto const columns = [&](int node) { return run.values.columns(node); };
    run.restart(part.steps);
    for (std::size_t k = 0; k < leaves_.inputs.size(); ++k)
        if (int const leaf = leaves_.inputs[k]; leaf >= 0)
            run.give(leaf, numbers.inputs[k] + first * columns(leaf), batch);
    for (std::size_t k = 0; k < leaves_.states.size(); ++k) {
        std::size_t const at = part.first_row * columns(leaves_.states[k]);
        S const* const start = numbers.states[k] == nullptr ? nullptr : numbers.states[k] + at;
        S* const now = numbers.final_states[k] + at;
        run.carry(leaves_.states[k], leaves_.next[k], part.first_step == 0 ? start : now, now, start);
    }
    run.run(matrices, rows_of(numbers.rows, part, lengths));
    run.copy_out(leaves_.output, numbers.outputs + first * columns(leaves_.output), batch);
}

template <class S, class Kernels>
void plan_runner<S, Kernels>::forward(cell_numbers<S> const& cell, run_type& run,
                                      sequence_numbers<S> const& numbers) const {
    [[maybe_unused]] auto const session = detail::session_of(pool_->kernels());
    auto const matrices = give_parameters(cell, run, derived_->forward);
    for (std::size_t k = 0; k < leaves_.inputs.size(); ++k)
        if (leaves_.inputs[k] >= 0)
            run.give(leaves_.inputs[k], numbers.inputs[k]);
    for (std::size_t k = 0; k < leaves_.states.size(); ++k)
        run.carry(leaves_.states[k], leaves_.next[k], numbers.states[k], numbers.final_states[k]);
    run.run(matrices, numbers.rows);
    run.copy_out(leaves_.output, numbers.outputs);
    run.finish();
}

template <class S, class Kernels>
void plan_runner<S, Kernels>::backward(cell_numbers<S> const& cell, program const& backward,
                                       run_type const& forward, gradient_numbers<S> const& numbers) const {
    [[maybe_unused]] auto const session = detail::session_of(pool_->kernels());
    graph_view const g = backward.graph;
    run_type run(pool_, backward, cell.extents, forward.values.steps, forward.values.batch, &forward.values);
    auto const matrices = give_parameters(cell, run, backward_weights(cell, backward));

    if (int const leaf = detail::find_leaf(g, op::cotangent, 0, 1); leaf >= 0)
        run.give(leaf, numbers.outputs);
    for (std::size_t k = 0; k < leaves_.states.size(); ++k)
        if (int const leaf = detail::find_leaf(g, op::cotangent, static_cast<int>(k) + 1, 1); leaf >= 0)
            run.carry(leaf, detail::gradient_of(g, leaves_.states[k]), numbers.states[k], numbers.states[k]);
    auto const for_each_gradient = [&](bool are_matrices, auto f) {
        for (std::size_t i = 0; i < leaves_.parameters.size(); ++i)
            if (int const at = detail::gradient_of(g, leaves_.parameters[i]);
                at >= 0 && g.is_matrix(at) == are_matrices)
                f(at, numbers.places[i].in(numbers.parameters));
    };
    if constexpr (Kernels::is_host && is_own_arithmetic<S>)
        for_each_gradient(true, [&](int at, std::span<S> to) { run.expect_matrix(at, to.data()); });
    run.run(matrices, numbers.rows, numbers.inputs.empty() ? 1u : ~0u);

    typename weights_type::values_type sums(g, cell.extents, &matrices.values);
    run.give_outer_products(sums);
    for_each_gradient(false, [&](int at, std::span<S> to) { run.copy_constant(at, to.data()); });
    for (std::size_t k = 0; k < leaves_.inputs.size() && !numbers.inputs.empty(); ++k)
        run.copy_out(detail::gradient_of(g, leaves_.inputs[k]), numbers.inputs[k]);
    if constexpr (!makes_matrices<Kernels, S>)
        run.finish(); // the host has the outer products
    for_each_gradient(true, [&](int at, std::span<S> to) { run.make_matrix(sums, at, to.data()); });
    run.finish();
}

template <class S, class Kernels>
void plan_runner<S, Kernels>::refresh(cell_numbers<S> const& cell, endless_type& steps) const {
    steps.prepare(give_parameters(cell, steps, derived_->forward));
}

template <class S, class Kernels>
leaf_values<S> plan_runner<S, Kernels>::values_of(cell_numbers<S> const& cell) {
    leaf_values<S> values;
    for (tensor_place const& place : cell.parameters.places())
        values.parameters.push_back(place.in(cell.parameters.values()).data());
    for (auto const& number : cell.settings)
        values.settings.push_back(&number);
    return values;
}

template <class S, class Kernels>
template <class Run>
typename plan_runner<S, Kernels>::weights_type
plan_runner<S, Kernels>::give_parameters(cell_numbers<S> const& cell, Run& run,
                                         weights_type const& made) const {
    auto const values = values_of(cell);
    auto const& where = Kernels::is_host ? values : derived_->there;
    if constexpr (is_own_arithmetic<S>)
        where.give(leaves_, run.values);
    else // the settings are the host's
        leaf_values<S>{where.parameters, values.settings}.give(leaves_, run.values);
    weights_type matrices(run.values.graph, cell.extents, &made);
    matrix_leaves(cell).give(leaves_, matrices.values);
    matrices.make(pool_->kernels(), run.values.plan);
    return matrices;
}

template <class S, class Kernels>
typename plan_runner<S, Kernels>::weights_type const&
plan_runner<S, Kernels>::backward_weights(cell_numbers<S> const& cell, program const& backward) const {
    std::lock_guard const lock(derived_->mutex);
    if (!derived_->backward) {
        weights_type made(backward.graph, cell.extents, &derived_->forward);
        matrix_leaves(cell).give(leaves_, made.values);
        made.make(pool_->kernels(), backward.plan);
        made.values.forget_given();
        derived_->backward = std::move(made);
    }
    return *derived_->backward;
}

} // namespace sluice
