// SPDX-License-Identifier: BSL-1.0
// plan_lowering: the lowering of a backend that has kernels only. Forward runs the forward plan, backward
// that of the gradients, which reads the values that the forward plan kept; a program that only infers has no
// gradient.
#pragma once

#include <memory>
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
sweep_program<S> program_of() {
    return {Holder::graph, Holder::plan, &run_compiled_block<Holder, S, checked_kernels<Kernels, S>>};
}

} // namespace detail

template <class Equations, class S, class Kernels>
class plan_lowering : public lowering_types<Equations, S> {
    using first = passes<Equations>;
    using second = plans<Equations>;
    using run_type = sweep_run<S, Kernels>;
    using pool_type = std::shared_ptr<memory_pool<S>>;

    /// A sequence while it is run, and all that backward reads: its views point into itself, so it is shared
    /// and never copied.
    struct memory {
        sequence_input<Equations, S> input;
        run_type run;

        memory(pool_type const& pool, sweep_program<S> const& program, sizes const& n,
               sequence_input<Equations, S> given)
            : input(std::move(given)), run(pool, program, n, steps_of(input.xs), batch_of(input.xs)) {}
        memory(memory const&) = delete;
        memory& operator=(memory const&) = delete;
    };

public:
    using result = sequence_result<Equations, S>;
    using stepper = plan_stepper<Equations, S, Kernels>;

    struct tape : result {
        std::shared_ptr<memory const> kept{};

        bool is_kept() const { return kept != nullptr; }
        std::array<std::size_t, 2> shape() const { return {kept->run.values.steps, kept->run.values.batch}; }
    };

    void refresh(cell_view<Equations, S> const& cell) {
        weights_ = matrix_values<S>(second::graph, cell.extents);
        values_of(cell, {}).give(leaves_, weights_);
        for (int const w : second::inference.weights)
            weights_.make(w);
        weights_.forget_given();
    }

    result infer(cell_view<Equations, S> const& cell, sequence_input<Equations, S> input) const {
        memory m(pool_, detail::program_of<detail::inference_plan<Equations>, S, Kernels>(), cell.extents,
                 std::move(input));
        return run_forward(cell, m);
    }

    tape forward(cell_view<Equations, S> const& cell, sequence_input<Equations, S> input) const {
        if (!input.keep_tape)
            return {infer(cell, std::move(input))};
        auto m =
            std::make_shared<memory>(pool_, detail::program_of<detail::forward_plan<Equations>, S, Kernels>(),
                                     cell.extents, std::move(input));
        tape kept{run_forward(cell, *m)};
        kept.kept = std::move(m);
        return kept;
    }

    stepper prepare(cell_view<Equations, S> const& cell, std::size_t batch) const {
        stepper made(pool_, detail::program_of<detail::inference_plan<Equations>, S, Kernels>(), leaves_,
                     cell.extents, batch);
        refresh(cell, made);
        return made;
    }
    void refresh(cell_view<Equations, S> const& cell, stepper& of) const {
        of.refresh(values_of(cell, {}), weights_);
    }

    gradients<Equations, S> backward(cell_view<Equations, S> const& cell, tape const& forward,
                                     upstream_gradients<Equations, S> upstream) const {
        memory const& m = *forward.kept;
        std::size_t const steps = m.run.values.steps, batch = m.run.values.batch;
        auto const program = detail::program_of<detail::backward_plan<Equations>, S, Kernels>();
        run_type run(pool_, program, cell.extents, steps, batch, &m.run.values);
        auto const matrices = give(cell, m.input.xs, run, program);

        clear_padding(upstream.outputs, m.input.lengths);
        if (int const leaf = second::cotangent_of(0); leaf >= 0)
            run.values.give(
                leaf, strided_view<S>::dense(upstream.outputs.data(), batch, run.values.columns(leaf), true));
        for_each_entry(upstream.state, [&](int k, auto, auto& tensor) {
            if (int const leaf = second::cotangent_of(k + 1); leaf >= 0)
                run.carry(leaf, second::gradient_of(leaves_.states[static_cast<std::size_t>(k)]),
                          tensor.data(), tensor.data());
        });
        run.run(matrices, m.input.lengths, upstream.want_inputs ? ~0u : 1u);

        gradients<Equations, S> found{.parameters = zero_parameters<Equations, S>(cell.extents),
                                      .state = std::move(upstream.state)};
        matrix_values<S> sums(program.graph, cell.extents, &matrices);
        run.give_outer_products(sums);
        for_each_entry(found.parameters, [&](int i, auto, auto& tensor) {
            int const at = second::gradient_of(leaves_.parameters[static_cast<std::size_t>(i)]);
            if (at < 0)
                return;
            if (program.graph.is_matrix(at))
                std::copy_n(sums.make(at), tensor.size(), tensor.data());
            else
                run.copy_constant(at, tensor.data());
        });
        if (upstream.want_inputs)
            for (std::size_t k = 0; k < leaves_.inputs.size(); ++k) {
                auto& to = nth_input(found.inputs, k);
                to.resize(nth_input(m.input.xs, k).shape());
                run.copy_out(second::gradient_of(leaves_.inputs[k]), to.data());
            }
        return found;
    }

private:
    plan_leaves leaves_{second::graph, first::graph, first::entries};
    matrix_values<S> weights_{};
    pool_type pool_ = std::make_shared<memory_pool<S>>();

    static leaf_values<S> values_of(cell_view<Equations, S> const& cell, std::vector<S const*> inputs) {
        leaf_values<S> values{.inputs = std::move(inputs)};
        for_each_entry(*cell.parameters,
                       [&](int, auto, auto const& tensor) { values.parameters.push_back(tensor.data()); });
        for (S const& number : *cell.settings)
            values.settings.push_back(&number);
        return values;
    }

    /// Says where all leaves lie, and makes the matrices of the plan that are not packed already.
    matrix_values<S> give(cell_view<Equations, S> const& cell, input_tensors<Equations, S> const& xs,
                          run_type& run, sweep_program<S> const& program) const {
        std::vector<S const*> inputs;
        for (std::size_t k = 0; k < leaves_.inputs.size(); ++k)
            inputs.push_back(nth_input(xs, k).data());
        auto const values = values_of(cell, std::move(inputs));
        values.give(leaves_, run.values);
        matrix_values<S> matrices(program.graph, cell.extents, &weights_);
        values.give(leaves_, matrices);
        for (int const w : program.plan.weights)
            matrices.make(w);
        return matrices;
    }

    result run_forward(cell_view<Equations, S> const& cell, memory& m) const {
        std::size_t const steps = m.run.values.steps, batch = m.run.values.batch;
        auto const matrices = give(cell, m.input.xs, m.run, {m.run.values.graph, m.run.values.plan});
        result found{.outputs = xt::zeros<S>({steps, batch, extent(first::output, cell.extents)}),
                     .state = zero_states<Equations, S>(cell.extents, batch)};
        for_each_parameter(m.input.state, found.state,
                           [&, k = std::size_t(0)](auto, auto& from, auto& to) mutable {
                               m.run.carry(leaves_.states[k], leaves_.next[k], from.data(), to.data());
                               ++k;
                           });
        m.run.run(matrices, m.input.lengths);
        m.run.copy_out(leaves_.output, found.outputs.data());
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
