// SPDX-License-Identifier: BSL-1.0
// plan_lowering: the lowering of a backend that has kernels only. Forward runs the forward plan, backward
// that of the gradients, which reads the values that the forward plan kept. Infer and steppers run a plan
// that keeps nothing, and need no gradient.
#pragma once

#include <algorithm>
#include <memory>
#include <sluice/lower/backend.hpp>
#include <sluice/net/cell_stepper.hpp>
#include <sluice/net/planned_engine.hpp>
#include <sluice/plan/plans.hpp>
#include <span>
#include <utility>
#include <vector>

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

public:
    using kernels_type = kernels;
    using result = sequence_result<Equations, S>;
    using stepper = cell_stepper<Equations, S>;

    struct tape : result {
        /// What backward reads.
        struct memory {
            sequence_input<Equations, S> input{};
            typename engine<S, kernels>::tape of_engine{};
        };
        std::shared_ptr<memory const> kept{};

        bool is_kept() const { return kept != nullptr; }
        std::array<std::size_t, 2> shape() const {
            return {steps_of(kept->input.xs), batch_of(kept->input.xs)};
        }
    };

    void refresh(cell_view<Equations, S> const& cell) { engine_.refresh(numbers_of(cell)); }

    result infer(cell_view<Equations, S> const& cell, sequence_input<Equations, S> const& input) const {
        return infer(cell, in_place(input));
    }
    result infer(cell_view<Equations, S> const& cell, sequence_in_place<Equations, S> const& input) const {
        auto found = result_of(cell, input.shape);
        engine_.infer(inference_program(), numbers_of(cell), sequence_of(input, found));
        return found;
    }

    tape forward(cell_view<Equations, S> const& cell, sequence_input<Equations, S> input) const {
        auto made = std::make_shared<typename tape::memory>();
        made->input = std::move(input);
        auto const given = in_place(made->input);
        tape kept{result_of(cell, given.shape)};
        made->of_engine = engine_.forward(forward_program(), numbers_of(cell), sequence_of(given, kept));
        kept.kept = std::move(made);
        return kept;
    }

    stepper prepare(cell_view<Equations, S> const& cell, std::size_t batch) const {
        auto program = inference_program();
        if constexpr (!std::is_void_v<Extents>) {
            using step = fixed_step<detail::inference_plan<Equations>, S, kernels, Extents::known>;
            if constexpr (step::is_known)
                program.run_fixed = &step::run;
        }
        return stepper(cell.extents, batch, [&](auto const& inputs, S* output) {
            return engine_.prepare(program, numbers_of(cell), batch, inputs, output);
        });
    }
    void refresh(cell_view<Equations, S> const& cell, stepper& of) const {
        engine_.refresh(numbers_of(cell), of.steps());
    }

    gradients<Equations, S> backward(cell_view<Equations, S> const& cell, tape const& forward,
                                     upstream_gradients<Equations, S> upstream) const {
        auto const& input = forward.kept->input;
        detail::clear_padding(upstream.outputs, input.lengths);
        gradients<Equations, S> found{.parameters = unwritten_parameters<Equations, S>(cell.extents),
                                      .state = std::move(upstream.state)};
        if (upstream.want_inputs)
            for (std::size_t k = 0; k < engine_.leaves().inputs.size(); ++k)
                nth_input(found.inputs, k).resize(nth_input(input.xs, k).shape());
        engine_.backward(backward_program(), numbers_of(cell), forward.kept->of_engine,
                         {.outputs = upstream.outputs.data(),
                          .final_states = addresses_of<S const>(std::as_const(found.state)),
                          .states = addresses_of<S>(found.state),
                          .inputs = upstream.want_inputs ? addresses_of<S>(found.inputs) : std::vector<S*>{},
                          .parameters = found.parameters.values(),
                          .places = found.parameters.array().places()});
        return found;
    }

    // Of a layer of a net (net/net.hpp).

    /// What runs the cell.
    planned_engine<S, kernels> const& as_engine() const { return engine_; }

    /// The engine of a cell of these sizes and settings, whose parameters lie there among so many numbers.
    static std::unique_ptr<engine<S, kernels>> make_engine(sizes const&, std::span<tensor_place const>,
                                                           std::vector<arithmetic_of<S>> const&,
                                                           std::size_t) {
        return std::make_unique<planned_engine<S, kernels>>(page());
    }
    static sweep_program<S, kernels> inference_program() {
        return detail::program_of<detail::inference_plan<Equations>, S, kernels>();
    }
    static sweep_program<S, kernels> forward_program() {
        return detail::program_of<detail::forward_plan<Equations>, S, kernels>();
    }
    static sweep_program<S, kernels> backward_program() {
        return detail::program_of<detail::backward_plan<Equations>, S, kernels>();
    }

private:
    planned_engine<S, kernels> engine_{page()};

    static page_view page() {
        return {second::graph, second::inference, passes<Equations>::graph, passes<Equations>::entries};
    }
    static cell_numbers<S> numbers_of(cell_view<Equations, S> const& cell) {
        auto const& all = cell.parameters->array();
        return {cell.extents, all.places(), all.values(), *cell.settings};
    }
    static result result_of(cell_view<Equations, S> const& cell, std::array<std::size_t, 2> const& shape) {
        result made{.state = zero_states<Equations, S>(cell.extents, shape[1])};
        made.outputs.resize({shape[0], shape[1], extent(passes<Equations>::output, cell.extents)});
        return made;
    }
    static sequence_in_place<Equations, S> in_place(sequence_input<Equations, S> const& input) {
        return {.inputs = addresses_of<S const>(input.xs),
                .shape = {steps_of(input.xs), batch_of(input.xs)},
                .start = &input.state,
                .rows = input.rows()};
    }
    static engine_sequence<S> sequence_of(sequence_in_place<Equations, S> const& input, result& found) {
        return {.steps = input.shape[0],
                .rows = input.rows,
                .inputs = input.inputs,
                .states = addresses_of<S const>(*input.start),
                .final_states = addresses_of<S>(found.state),
                .outputs = found.outputs.data()};
    }
};

} // namespace sluice
