// SPDX-License-Identifier: BSL-1.0
// plan_lowering: the lowering of a backend that has kernels only. Forward runs the forward plan, backward
// that of the gradients, which reads the values that the forward plan kept; a program that only infers has no
// gradient.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <sluice/lower/backend.hpp>
#include <sluice/lower/leaves.hpp>
#include <sluice/lower/run.hpp>
#include <sluice/lower/stepper.hpp>
#include <sluice/plan/plans.hpp>

namespace sluice {
namespace detail {

/// The plans of a set of equations, as holders of the blocks that are compiled.
template <class Equations>
struct inference_plan {
    using operations = typename passes<Equations>::operations;
    static constexpr graph_view graph = plans<Equations>::graph;
    static constexpr plan_view plan = plans<Equations>::inference;
};
template <class Equations>
struct forward_plan {
    using operations = typename passes<Equations>::operations;
    static constexpr graph_view graph = plans<Equations>::graph;
    static constexpr plan_view plan = plans<Equations>::forward;
};
template <class Equations>
struct backward_plan {
    using operations = typename passes<Equations>::operations;
    static constexpr graph_view graph = plans<Equations>::gradient;
    static constexpr plan_view plan = plans<Equations>::backward;
};

template <class Holder, class S, class Kernels>
sweep_program<S, Kernels> program_of() {
    return {Holder::graph, Holder::plan, &run_compiled_block<Holder, S, Kernels>};
}

} // namespace detail

template <class Equations, class S, class Kernels>
class plan_lowering : public lowering_types<Equations, S> {
    using first = passes<Equations>;
    using second = plans<Equations>;
    using kernels = checked_kernels<Kernels, S>;
    using run_type = sweep_run<S, kernels>;
    using weights_type = typename run_type::weights_type;
    using pool_type = typename run_type::pool_type;

    /// A sequence while it is run, and all that backward reads: its views point into itself, so it is shared
    /// and never copied.
    struct memory {
        sequence_input<Equations, S> input;
        run_type run;

        memory(pool_type const& pool, sweep_program<S, kernels> const& program, sizes const& n,
               sequence_input<Equations, S> given)
            : input(std::move(given)), run(pool, program, n, steps_of(input.xs), batch_of(input.xs)) {}
        memory(memory const&) = delete;
        memory& operator=(memory const&) = delete;
    };

    /// What is made of the parameters once, when they have changed.
    struct derived {
        weights_type forward;
        transfers<S, kernels> sent;
        leaf_values<S> there{}; ///< on the device, where there is one

        std::mutex mutex{};
        std::optional<weights_type> backward{}; ///< what backward multiplies with besides

        derived(pool_type const& pool, sizes const& n) : forward(second::graph, n), sent(pool) {}
    };

public:
    using result = sequence_result<Equations, S>;
    using stepper = plan_stepper<Equations, S, kernels>;

    struct tape : result {
        std::shared_ptr<memory const> kept{};

        bool is_kept() const { return kept != nullptr; }
        std::array<std::size_t, 2> shape() const { return {kept->run.values.steps, kept->run.values.batch}; }
    };

    void refresh(cell_view<Equations, S> const& cell) {
        auto made = std::make_shared<derived>(pool_, cell.extents);
        auto const values = values_of(cell);
        if (!kernels::is_host)
            made->there = values.send(leaves_, second::graph, cell.extents, made->sent);
        derived_ = std::move(made); // what was made before makes room
        values.give(leaves_, derived_->forward.values);
        derived_->forward.make(pool_->kernels(), second::inference);
        derived_->forward.values.forget_given();
    }

    result infer(cell_view<Equations, S> const& cell, sequence_input<Equations, S> input) const {
        memory m(pool_, detail::program_of<detail::inference_plan<Equations>, S, kernels>(), cell.extents,
                 std::move(input));
        return run_forward(cell, m);
    }

    tape forward(cell_view<Equations, S> const& cell, sequence_input<Equations, S> input) const {
        auto m =
            std::make_shared<memory>(pool_, detail::program_of<detail::forward_plan<Equations>, S, kernels>(),
                                     cell.extents, std::move(input));
        tape kept{run_forward(cell, *m)};
        kept.kept = std::move(m);
        return kept;
    }

    stepper prepare(cell_view<Equations, S> const& cell, std::size_t batch) const {
        stepper made(pool_, detail::program_of<detail::inference_plan<Equations>, S, kernels>(), leaves_,
                     cell.extents, batch);
        refresh(cell, made);
        return made;
    }
    void refresh(cell_view<Equations, S> const& cell, stepper& of) const {
        of.prepare(give_parameters(cell, of.run(), derived_->forward), derived_);
    }

    gradients<Equations, S> backward(cell_view<Equations, S> const& cell, tape const& forward,
                                     upstream_gradients<Equations, S> upstream) const {
        memory const& m = *forward.kept;
        std::size_t const steps = m.run.values.steps, batch = m.run.values.batch;
        auto const program = detail::program_of<detail::backward_plan<Equations>, S, kernels>();
        run_type run(pool_, program, cell.extents, steps, batch, &m.run.values);
        auto const matrices = give_parameters(cell, run, backward_weights(cell));

        clear_padding(upstream.outputs, m.input.lengths);
        if (int const leaf = second::cotangent_of(0); leaf >= 0)
            run.give(leaf, upstream.outputs.data());
        for_each_entry(upstream.state, [&](int k, auto, auto& tensor) {
            if (int const leaf = second::cotangent_of(k + 1); leaf >= 0)
                run.carry(leaf, second::gradient_of(leaves_.states[static_cast<std::size_t>(k)]),
                          tensor.data(), tensor.data());
        });
        run.run(matrices, m.input.lengths, upstream.want_inputs ? ~0u : 1u);

        gradients<Equations, S> found{.parameters = zero_parameters<Equations, S>(cell.extents),
                                      .state = std::move(upstream.state)};
        matrix_values<S> sums(program.graph, cell.extents, &matrices.values);
        run.give_outer_products(sums);
        auto const for_each_gradient = [&](auto f) {
            for_each_entry(found.parameters, [&](int i, auto, auto& tensor) {
                if (int const at = second::gradient_of(leaves_.parameters[static_cast<std::size_t>(i)]);
                    at >= 0)
                    f(at, tensor.data(), tensor.size());
            });
        };
        for_each_gradient([&](int at, S* to, std::size_t) {
            if (!program.graph.is_matrix(at))
                run.copy_constant(at, to);
        });
        if (upstream.want_inputs)
            for (std::size_t k = 0; k < leaves_.inputs.size(); ++k) {
                auto& to = nth_input(found.inputs, k);
                to.resize(nth_input(m.input.xs, k).shape());
                run.copy_out(second::gradient_of(leaves_.inputs[k]), to.data());
            }
        run.finish();
        for_each_gradient([&](int at, S* to, std::size_t count) {
            if (program.graph.is_matrix(at))
                convert_n(sums.make(at), count, to);
        });
        return found;
    }

private:
    plan_leaves leaves_{second::graph, first::graph, first::entries};
    pool_type pool_ = std::make_shared<memory_pool<S, kernels>>();
    std::shared_ptr<derived> derived_{}; ///< copies of a cell share it until the parameters of one change

    static leaf_values<S> values_of(cell_view<Equations, S> const& cell) {
        leaf_values<S> values;
        for_each_entry(*cell.parameters,
                       [&](int, auto, auto const& tensor) { values.parameters.push_back(tensor.data()); });
        for (auto const& number : *cell.settings)
            values.settings.push_back(&number);
        return values;
    }

    /// Says where parameters and settings lie, and what the plan multiplies with.
    template <class Run>
    weights_type give_parameters(cell_view<Equations, S> const& cell, Run& run,
                                 weights_type const& made) const {
        auto const values = values_of(cell);
        auto where = kernels::is_host ? values : derived_->there;
        if constexpr (!is_own_arithmetic<S>)
            where.settings = values.settings; // are nowhere else
        where.give(leaves_, run.values);
        weights_type matrices(run.values.graph, cell.extents, &made);
        values.give(leaves_, matrices.values);
        matrices.make(pool_->kernels(), run.values.plan);
        return matrices;
    }
    /// The first backward behind a change makes it.
    weights_type const& backward_weights(cell_view<Equations, S> const& cell) const {
        std::lock_guard const lock(derived_->mutex);
        if (!derived_->backward) {
            weights_type made(second::gradient, cell.extents, &derived_->forward);
            values_of(cell).give(leaves_, made.values);
            made.make(pool_->kernels(), second::backward);
            made.values.forget_given();
            derived_->backward = std::move(made);
        }
        return *derived_->backward;
    }

    result run_forward(cell_view<Equations, S> const& cell, memory& m) const {
        std::size_t const steps = m.run.values.steps, batch = m.run.values.batch;
        auto const matrices = give_parameters(cell, m.run, derived_->forward);
        for (std::size_t k = 0; k < leaves_.inputs.size(); ++k)
            if (leaves_.inputs[k] >= 0)
                m.run.give(leaves_.inputs[k], nth_input(m.input.xs, k).data());
        result found{.outputs = xt::zeros<S>({steps, batch, extent(first::output, cell.extents)}),
                     .state = zero_states<Equations, S>(cell.extents, batch)};
        for_each_parameter(m.input.state, found.state,
                           [&, k = std::size_t(0)](auto, auto& from, auto& to) mutable {
                               m.run.carry(leaves_.states[k], leaves_.next[k], from.data(), to.data());
                               ++k;
                           });
        m.run.run(matrices, m.input.lengths);
        m.run.copy_out(leaves_.output, found.outputs.data());
        m.run.finish();
        return found;
    }

    static void clear_padding(xt::xtensor<S, 3>& values, std::vector<std::size_t> const& lengths) {
        auto const [steps, batch, columns] = values.shape();
        for (std::size_t t = 0; t < steps && !lengths.empty(); ++t)
            for (std::size_t r = 0; r < batch; ++r)
                if (t >= lengths[r])
                    std::fill_n(values.data() + (t * batch + r) * columns, columns, S(0));
    }
};

} // namespace sluice
