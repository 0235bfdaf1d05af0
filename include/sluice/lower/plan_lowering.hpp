// SPDX-License-Identifier: BSL-1.0
// plan_lowering: the lowering of a backend that has kernels only. Forward runs the forward plan, backward
// that of the gradients, which reads the values that the forward plan kept. Infer and steppers run a plan
// that keeps nothing, and need no gradient.
#pragma once

#include <algorithm>
#include <memory>
#include <sluice/lower/backend.hpp>
#include <sluice/lower/plan_runner.hpp>
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
    sweep_program<S, Kernels> made{Holder::graph, Holder::plan, &run_compiled_block<Holder, S, Kernels>};
    if constexpr (requires(Kernels const& k, loop_frame<S> const& f) { k.template loop<Holder>(f); })
        if constexpr (!Holder::plan.about.has_product_in_loop)
            made.run_loop = [](Kernels const& k, loop_frame<S> const& f) {
                return k.template loop<Holder>(f);
            };
    return made;
}

} // namespace detail

/// Extents whose `known` sizes are constants make steps of their own (lower/fixed_step.hpp).
template <class Equations, class S, class Kernels, class Extents = void>
class plan_lowering : public lowering_types<Equations, S> {
    using second = plans<Equations>;
    using kernels = checked_kernels<Kernels, S>;
    using runner = plan_runner<S, kernels>;
    using run_type = typename runner::run_type;

    /// A sequence while it is run, and all that backward reads: its views point into itself, so it is shared
    /// and never copied.
    struct memory {
        sequence_input<Equations, S> input;
        run_type run;

        memory(typename runner::pool_type const& pool, sweep_program<S, kernels> const& program,
               sizes const& n, sequence_input<Equations, S> given)
            : input(std::move(given)), run(pool, program, n, steps_of(input.xs), batch_of(input.xs)) {}
        memory(memory const&) = delete;
        memory& operator=(memory const&) = delete;
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
        runner_.refresh(numbers_of(cell), second::graph, second::inference);
    }

    result infer(cell_view<Equations, S> const& cell, sequence_input<Equations, S> const& input) const {
        return infer(cell, in_place(input));
    }
    result infer(cell_view<Equations, S> const& cell, sequence_in_place<Equations, S> const& input) const {
        auto const [steps, batch] = input.shape;
        auto found = result_of(cell, steps, batch);
        runner_.infer(numbers_of(cell), inference(), steps, batch, numbers_of(input, found));
        return found;
    }

    tape forward(cell_view<Equations, S> const& cell, sequence_input<Equations, S> input) const {
        auto m = std::make_shared<memory>(runner_.pool(),
                                          detail::program_of<detail::forward_plan<Equations>, S, kernels>(),
                                          cell.extents, std::move(input));
        tape kept{result_of(cell, m->run.values.steps, m->run.values.batch)};
        runner_.forward(numbers_of(cell), m->run, numbers_of(in_place(m->input), kept));
        kept.kept = std::move(m);
        return kept;
    }

    stepper prepare(cell_view<Equations, S> const& cell, std::size_t batch) const {
        auto program = inference();
        if constexpr (!std::is_void_v<Extents>) {
            using step = fixed_step<detail::inference_plan<Equations>, S, kernels, Extents::known>;
            if constexpr (step::is_known)
                program.run_fixed = &step::run;
        }
        stepper made(runner_.pool(), program, runner_.leaves(), cell.extents, batch);
        refresh(cell, made);
        return made;
    }
    void refresh(cell_view<Equations, S> const& cell, stepper& of) const {
        runner_.refresh(numbers_of(cell), of.run());
        of.keep(runner_.made());
    }

    gradients<Equations, S> backward(cell_view<Equations, S> const& cell, tape const& forward,
                                     upstream_gradients<Equations, S> upstream) const {
        memory const& m = *forward.kept;
        detail::clear_padding(upstream.outputs, m.input.lengths);
        gradients<Equations, S> found{.parameters = unwritten_parameters<Equations, S>(cell.extents),
                                      .state = std::move(upstream.state)};
        auto const& leaves = runner_.leaves();
        for (std::size_t i = 0; i < leaves.parameters.size(); ++i)
            if (detail::gradient_of(second::gradient, leaves.parameters[i]) < 0)
                std::ranges::fill(found.parameters.array().places()[i].in(found.parameters.values()), S());
        if (upstream.want_inputs)
            for (std::size_t k = 0; k < leaves.inputs.size(); ++k)
                nth_input(found.inputs, k).resize(nth_input(m.input.xs, k).shape());
        runner_.backward(numbers_of(cell), detail::program_of<detail::backward_plan<Equations>, S, kernels>(),
                         m.run,
                         {.parameters = found.parameters.values(),
                          .places = found.parameters.array().places(),
                          .inputs = upstream.want_inputs ? addresses_of<S>(found.inputs) : std::vector<S*>{},
                          .states = addresses_of<S>(found.state),
                          .outputs = upstream.outputs.data(),
                          .rows = m.input.rows()});
        return found;
    }

private:
    runner runner_{second::graph, passes<Equations>::graph, passes<Equations>::entries};

    static sweep_program<S, kernels> inference() {
        return detail::program_of<detail::inference_plan<Equations>, S, kernels>();
    }
    static cell_numbers<S> numbers_of(cell_view<Equations, S> const& cell) {
        return {cell.extents, cell.parameters->array(), *cell.settings};
    }
    static result result_of(cell_view<Equations, S> const& cell, std::size_t steps, std::size_t batch) {
        result made{.state = zero_states<Equations, S>(cell.extents, batch)};
        made.outputs.resize({steps, batch, extent(passes<Equations>::output, cell.extents)});
        return made;
    }
    static sequence_in_place<Equations, S> in_place(sequence_input<Equations, S> const& input) {
        return {.inputs = addresses_of<S const>(input.xs),
                .shape = {steps_of(input.xs), batch_of(input.xs)},
                .start = &input.state,
                .rows = input.rows()};
    }
    static sequence_numbers<S> numbers_of(sequence_in_place<Equations, S> const& input, result& found) {
        return {.inputs = input.inputs,
                .states = addresses_of<S const>(*input.start),
                .final_states = addresses_of<S>(found.state),
                .outputs = found.outputs.data(),
                .rows = input.rows};
    }
};

} // namespace sluice
