// SPDX-License-Identifier: BSL-1.0
// The engine that runs plans with the kernels of a backend. Where these have memory of their own, numbers of
// the host are sent there and fetched, and what lies there already is read and written where it lies.
//
// It is no template over the equations, and its functions stand outside the class, so that a backend can
// compile them once and spare every program their instantiation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <sluice/execute/endless.hpp>
#include <sluice/execute/leaves.hpp>
#include <sluice/execute/parts.hpp>
#include <sluice/execute/run.hpp>
#include <sluice/net/engine.hpp>
#include <sluice/plan/products.hpp>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

/// The steps of planned_engine, an endless_run.
template <class S, class Kernels>
class planned_stepper final : public stepper<S> {
public:
    using run_type = endless_run<S, Kernels>;

    planned_stepper(typename run_type::pool_type const& pool, sweep_program<S, Kernels> const& program,
                    plan_leaves const& leaves, sizes const& n, std::size_t batch,
                    std::vector<S const*> const& inputs, S* output);

    /// Where parameters and settings are given.
    run_type& run() { return run_; }
    /// Keeps what steps multiply with.
    void keep(std::shared_ptr<void const> made) { made_ = std::move(made); }

    void set_state(std::size_t state, S const* from, std::size_t first, std::size_t last) override {
        run_.copy_in(leaves_.next[state], from, first, last);
    }
    void copy_state(std::size_t state, S* to) const override { run_.copy_out(leaves_.next[state], to); }
    /// Of constant sizes, or ready, it is read where it lies, otherwise copied to where it was before.
    void step(S const* first) noexcept(Kernels::is_host) override;

private:
    plan_leaves leaves_;
    std::shared_ptr<void const> made_{};
    run_type run_;
};

template <class S, class Kernels>
class planned_engine : public engine<S, checked_kernels<Kernels, S>> {
    using kernels = checked_kernels<Kernels, S>;
    using base = engine<S, kernels>;

public:
    using run_type = sweep_run<S, kernels>;
    using weights_type = typename run_type::weights_type;
    using pool_type = typename run_type::pool_type;
    using typename base::numbers, typename base::program, typename base::tape;

    explicit planned_engine(page_view const& page);

    std::shared_ptr<base> copy() const override { return std::make_shared<planned_engine>(*this); }
    void refresh(numbers const& cell) override;
    void infer(program const& inference, numbers const& cell, engine_sequence<S> const& given) const override;
    tape forward(program const& forward, numbers const& cell, engine_sequence<S> const& given) const override;
    /// The parameters that no gradient reaches get zeros.
    void backward(program const& backward, numbers const& cell, tape const& of,
                  engine_gradients<S> const& found) const override;

    std::unique_ptr<stepper<S>> prepare(program const& inference, numbers const& cell, std::size_t batch,
                                        std::vector<S const*> const& inputs, S* output) const override;
    void refresh(numbers const& cell, stepper<S>& steps) const override;
    /// What runs and steps multiply with, until the parameters change.
    std::shared_ptr<void const> made() const { return derived_; }

private:
    /// What is made of the parameters once, when they have changed.
    struct derived {
        weights_type forward;
        transfers<S, kernels> sent;
        leaf_values<S> there{}; ///< on the device, where there is one

        std::mutex mutex{};
        std::optional<weights_type> backward{}; ///< what backward multiplies with besides
        bool has_backward = false;              ///< of these parameters

        derived(pool_type const& pool, graph_view g, sizes const& n) : forward(g, n), sent(pool) {}
    };
    /// What its last owner has given back, so that it is made again in the same memory. Streams that have
    /// not taken the changed parameters yet may own it, on any thread.
    struct used {
        std::mutex mutex{};
        std::unique_ptr<derived> last{};

        void exchange(std::unique_ptr<derived>& with) {
            std::lock_guard const lock(mutex);
            std::swap(last, with);
        }
    };
    /// A forward run and its rows: what backward reads. Its views point into itself, so it is never copied.
    struct memory {
        program how;
        kept_rows rows;
        run_type run;

        memory(pool_type const& pool, program const& with, sizes const& n, engine_sequence<S> const& given)
            : how(with), rows(given.rows),
              run(pool, with, n, given.steps, given.rows.batch, nullptr, given.steps_of_part) {}
        memory(memory const&) = delete;
        memory& operator=(memory const&) = delete;
    };

    page_view page_;
    plan_leaves leaves_;
    list<task> products_; ///< say which matrices are packed
    pool_type pool_ = std::make_shared<memory_pool<S, kernels>>();
    std::shared_ptr<used> used_ = std::make_shared<used>();
    std::shared_ptr<derived> derived_{}; ///< copies share it until the parameters of one change

    static leaf_values<S> values_of(numbers const& cell);
    /// What matrices are made of.
    leaf_values<S> matrix_leaves(numbers const& cell) const {
        return makes_matrices<kernels, S> ? derived_->there : values_of(cell);
    }
    /// Says where parameters and settings lie.
    template <class Memory>
    void give_leaves(numbers const& cell, Memory& to) const;
    /// The same, and what the plan multiplies with.
    template <class Run>
    weights_type give_parameters(numbers const& cell, Run& run, weights_type const& made) const;
    /// The most rows of a matrix that a hoisted product multiplies with.
    std::size_t depth_of(numbers const& cell, program const& inference) const;
    /// Runs all of a sequence at once.
    void run_whole(run_type& run, numbers const& cell, row_times const& rows,
                   engine_sequence<S> const& given) const;
    /// Runs a part of a sequence after those before it; its states are at last where the final ones are to
    /// be.
    void run_part(run_type& run, weights_type const& matrices, engine_sequence<S> const& given,
                  sequence_part const& part, std::vector<std::size_t>& lengths) const;
    /// The first backward after a change makes it.
    weights_type const& backward_weights(numbers const& cell, program const& backward) const;
};

template <class S, class Kernels>
planned_engine<S, Kernels>::planned_engine(page_view const& page)
    : page_(page), leaves_(page.leaves), products_(forward_products(page.graph)) {}

template <class S, class Kernels>
void planned_engine<S, Kernels>::refresh(numbers const& cell) {
    std::unique_ptr<derived> made;
    if (kernels::is_host) {
        derived_.reset();
        used_->exchange(made);
    }
    if (made == nullptr)
        made = std::make_unique<derived>(pool_, page_.graph, cell.extents);
    auto const values = values_of(cell);
    if (!kernels::is_host)
        made->there = values.send(leaves_, page_.graph, cell.extents, made->sent);
    made->forward.begin_again();
    made->has_backward = false;
    auto const give_back = [to = used_](derived* p) {
        std::unique_ptr<derived> given(p);
        if (kernels::is_host)
            to->exchange(given);
    };
    derived_ = {made.release(), give_back}; // on a device, what was made before makes room
    matrix_leaves(cell).give(leaves_, derived_->forward.values);
    derived_->forward.make(pool_->kernels(), products_);
    derived_->forward.values.forget_given();
}

template <class S, class Kernels>
void planned_engine<S, Kernels>::infer(program const& inference, numbers const& cell,
                                       engine_sequence<S> const& given) const {
    std::size_t const steps = given.steps, batch = given.rows.batch;
    sequence_part const whole{.rows = batch, .steps = steps};
    auto const usual = kernels::is_host ? usual_part<S>(inference.plan, cell.extents,
                                                        depth_of(cell, inference), steps, batch)
                                        : whole;
    if (usual == whole || steps == 0) {
        run_type run(pool_, inference, cell.extents, steps, batch);
        return run_whole(run, cell, given.rows, given);
    }
    [[maybe_unused]] auto const session = detail::session_of(pool_->kernels());
    std::vector<std::size_t> lengths;
    for (std::size_t row = 0; row < batch; row += usual.rows) {
        std::size_t const rows = std::min(usual.rows, batch - row);
        run_type run(pool_, inference, cell.extents, usual.steps, rows);
        auto const matrices = give_parameters(cell, run, derived_->forward);
        for (std::size_t t = 0; t < steps; t += usual.steps)
            run_part(run, matrices, given, {row, rows, t, std::min(usual.steps, steps - t)}, lengths);
    }
}

template <class S, class Kernels>
std::size_t planned_engine<S, Kernels>::depth_of(numbers const& cell, program const& inference) const {
    std::size_t deepest = 0;
    for (task const& t : inference.plan.tasks)
        if (t.kind == task_kind::product && t.when == phase::before)
            deepest = std::max(
                deepest, extents_of(inference.graph, inference.graph[t.weight].shape, cell.extents).rows);
    return deepest;
}

template <class S, class Kernels>
void planned_engine<S, Kernels>::run_part(run_type& run, weights_type const& matrices,
                                          engine_sequence<S> const& given, sequence_part const& part,
                                          std::vector<std::size_t>& lengths) const {
    std::size_t const batch = given.rows.batch;
    std::size_t const first = part.first_step * batch + part.first_row; // row of [time, batch]
    auto const columns = [&](int node) { return run.values.columns(node); };
    run.restart(part.steps);
    for (std::size_t k = 0; k < leaves_.inputs.size(); ++k)
        run.give(leaves_.inputs[k], given.inputs[k] + first * columns(leaves_.inputs[k]), batch);
    for (std::size_t k = 0; k < leaves_.states.size(); ++k) {
        std::size_t const at = part.first_row * columns(leaves_.states[k]);
        S const* const start = given.states[k] == nullptr ? nullptr : given.states[k] + at;
        S* const now = given.final_states[k] + at;
        bool const is_first = part.first_step == 0, is_last = part.first_step + part.steps == given.steps;
        S const* const left = is_first ? nullptr : run.left(leaves_.states[k]);
        S const* const before = is_first ? start : left != nullptr ? left : now;
        bool const stays = left != nullptr && !is_last;
        run.carry(leaves_.states[k], leaves_.next[k], before, stays ? nullptr : now, start);
    }
    run.run(matrices, rows_of(given.rows, part, lengths));
    std::size_t const row = given.output_row > 0 ? given.output_row : columns(leaves_.output);
    run.copy_out(leaves_.output, given.outputs + first * row, batch, row);
}

template <class S, class Kernels>
void planned_engine<S, Kernels>::run_whole(run_type& run, numbers const& cell, row_times const& rows,
                                           engine_sequence<S> const& given) const {
    [[maybe_unused]] auto const session = detail::session_of(pool_->kernels());
    auto const matrices = give_parameters(cell, run, derived_->forward);
    for (std::size_t k = 0; k < leaves_.inputs.size(); ++k)
        run.give(leaves_.inputs[k], given.inputs[k]);
    for (std::size_t k = 0; k < leaves_.states.size(); ++k)
        run.carry(leaves_.states[k], leaves_.next[k], given.states[k], given.final_states[k]);
    run.run(matrices, rows);
    run.copy_out(leaves_.output, given.outputs, 0, given.output_row);
    run.finish();
}

template <class S, class Kernels>
typename planned_engine<S, Kernels>::tape
planned_engine<S, Kernels>::forward(program const& forward, numbers const& cell,
                                    engine_sequence<S> const& given) const {
    auto made = std::make_shared<memory>(pool_, forward, cell.extents, given);
    run_whole(made->run, cell, made->rows.rows(), given);
    return made;
}

template <class S, class Kernels>
void planned_engine<S, Kernels>::backward(program const& backward, numbers const& cell, tape const& of,
                                          engine_gradients<S> const& found) const {
    [[maybe_unused]] auto const session = detail::session_of(pool_->kernels());
    memory const& kept = *static_cast<memory const*>(of.get());
    auto const& forward = kept.run.values;
    graph_view const g = backward.graph;
    run_type run(pool_, backward, cell.extents, forward.steps, forward.batch, &forward);
    auto const matrices = give_parameters(cell, run, backward_weights(cell, backward));
    if (auto again = kept.run.replay(kept.how, kept.rows.rows())) {
        give_leaves(cell, again->values);
        run.read_replayed(std::move(again));
    }

    if (int const leaf = detail::find_leaf(g, op::cotangent, 0, 1); leaf >= 0)
        run.give(leaf, found.outputs);
    for (std::size_t k = 0; k < leaves_.states.size(); ++k)
        if (int const leaf = detail::find_leaf(g, op::cotangent, static_cast<int>(k) + 1, 1); leaf >= 0)
            run.carry(leaf, detail::gradient_of(g, leaves_.states[k]), found.final_states[k],
                      found.states[k]);
        else if (found.final_states[k] != found.states[k]) {
            std::size_t const count = forward.batch * forward.columns(leaves_.states[k]);
            pool_->kernels().copy(1, count, found.final_states[k], count, found.states[k], count);
        }
    // f(node, where its numbers are to be put); the node is -1 where no gradient reaches the parameter
    auto const for_each_gradient = [&](bool are_matrices, auto f) {
        for (std::size_t i = 0; i < leaves_.parameters.size(); ++i)
            if (int const at = detail::gradient_of(g, leaves_.parameters[i]);
                (at >= 0 && g.is_matrix(at)) == are_matrices)
                f(at, cell.places[i].in(found.parameters));
    };
    if constexpr (kernels::is_host && is_own_arithmetic<S>)
        for_each_gradient(true, [&](int at, std::span<S> to) { run.expect_matrix(at, to.data()); });
    run.run(matrices, kept.rows.rows(), found.inputs.empty() ? 1u : ~0u);

    typename weights_type::values_type sums(g, cell.extents, &matrices.values);
    run.give_outer_products(sums);
    for_each_gradient(false, [&](int at, std::span<S> to) {
        if (at >= 0)
            run.copy_constant(at, to.data());
        else if (kernels::is_host || detail::holds(pool_->kernels(), to.data()))
            pool_->kernels().clear(1, to.size(), to.data(), to.size());
        else
            std::ranges::fill(to, S());
    });
    for (std::size_t k = 0; k < leaves_.inputs.size() && !found.inputs.empty(); ++k)
        run.copy_out(detail::gradient_of(g, leaves_.inputs[k]), found.inputs[k]);
    if constexpr (!makes_matrices<kernels, S>)
        run.finish(); // the host has the outer products
    for_each_gradient(true, [&](int at, std::span<S> to) { run.make_matrix(sums, at, to.data()); });
    run.finish();
}

template <class S, class Kernels>
std::unique_ptr<stepper<S>>
planned_engine<S, Kernels>::prepare(program const& inference, numbers const& cell, std::size_t batch,
                                    std::vector<S const*> const& inputs, S* output) const {
    auto made = std::make_unique<planned_stepper<S, kernels>>(pool_, inference, leaves_, cell.extents, batch,
                                                              inputs, output);
    refresh(cell, *made);
    return made;
}

template <class S, class Kernels>
void planned_engine<S, Kernels>::refresh(numbers const& cell, stepper<S>& steps) const {
    auto& of = static_cast<planned_stepper<S, kernels>&>(steps);
    of.run().prepare(give_parameters(cell, of.run(), derived_->forward));
    of.keep(derived_);
}

template <class S, class Kernels>
leaf_values<S> planned_engine<S, Kernels>::values_of(numbers const& cell) {
    leaf_values<S> values;
    for (tensor_place const& place : cell.places)
        values.parameters.push_back(place.in(cell.parameters).data());
    for (auto const& number : cell.settings)
        values.settings.push_back(&number);
    return values;
}

template <class S, class Kernels>
template <class Memory>
void planned_engine<S, Kernels>::give_leaves(numbers const& cell, Memory& to) const {
    auto const values = values_of(cell);
    auto const& where = kernels::is_host ? values : derived_->there;
    if constexpr (is_own_arithmetic<S>)
        where.give(leaves_, to);
    else // the settings are the host's
        leaf_values<S>{where.parameters, values.settings}.give(leaves_, to);
}

template <class S, class Kernels>
template <class Run>
typename planned_engine<S, Kernels>::weights_type
planned_engine<S, Kernels>::give_parameters(numbers const& cell, Run& run, weights_type const& made) const {
    give_leaves(cell, run.values);
    weights_type matrices(run.values.graph, cell.extents, &made);
    matrix_leaves(cell).give(leaves_, matrices.values);
    matrices.make(pool_->kernels(), run.values.plan.tasks);
    return matrices;
}

template <class S, class Kernels>
typename planned_engine<S, Kernels>::weights_type const&
planned_engine<S, Kernels>::backward_weights(numbers const& cell, program const& backward) const {
    std::lock_guard const lock(derived_->mutex);
    auto& made = derived_->backward;
    if (!derived_->has_backward) {
        if (!made)
            made.emplace(backward.graph, cell.extents, &derived_->forward);
        made->begin_again();
        matrix_leaves(cell).give(leaves_, made->values);
        made->make(pool_->kernels(), backward.plan.tasks);
        made->values.forget_given();
        derived_->has_backward = true;
    }
    return *made;
}

template <class S, class Kernels>
[[gnu::cold]] std::shared_ptr<engine<S, Kernels>> make_planned_engine(page_view const& page) {
    return std::make_shared<planned_engine<S, Kernels>>(page);
}

template <class S, class Kernels>
planned_stepper<S, Kernels>::planned_stepper(typename run_type::pool_type const& pool,
                                             sweep_program<S, Kernels> const& program,
                                             plan_leaves const& leaves, sizes const& n, std::size_t batch,
                                             std::vector<S const*> const& inputs, S* output)
    : leaves_(leaves), run_(pool, program, n, batch) {
    for (std::size_t k = 0; k < leaves_.inputs.size(); ++k)
        run_.give(leaves_.inputs[k], inputs[k]);
    run_.expect(leaves_.output, output);
}

template <class S, class Kernels>
void planned_stepper<S, Kernels>::step(S const* first) noexcept(Kernels::is_host) {
    run_.run_from(first);
}

} // namespace sluice
