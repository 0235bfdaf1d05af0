// SPDX-License-Identifier: BSL-1.0
// A lowering (lower/backend.hpp) as a shell of an engine: tensors by their names become addresses. `Own`
// derives from it, says what is done after a change, and has
//
//   engine<S, Kernels> const& as_engine() const
//   static inference_program(), forward_program(), backward_program()
//   static step_program()          by choice: what steps are run with, if it is not the first of them
#pragma once

#include <array>
#include <memory>
#include <sluice/lower/backend.hpp>
#include <sluice/net/cell_stepper.hpp>
#include <sluice/net/engine.hpp>
#include <utility>
#include <vector>

namespace sluice {

template <class Own, class Page, class S, class Kernels>
class engine_lowering : public lowering_types<Page, S> {
    using view = cell_view<Page, S>;

public:
    using kernels_type = Kernels;
    using engine_type = engine<S, Kernels>;
    using result = sequence_result<Page, S>;
    using stepper = cell_stepper<Page, S>;

    struct tape : result {
        /// What backward reads.
        struct memory {
            sequence_input<Page, S> input{};
            typename engine_type::tape of_engine{};
        };
        std::shared_ptr<memory const> kept{};

        bool is_kept() const { return kept != nullptr; }
        std::array<std::size_t, 2> shape() const {
            return {steps_of(kept->input.xs), batch_of(kept->input.xs)};
        }
    };

    result infer(view const& cell, sequence_input<Page, S> const& input) const {
        return infer(cell, in_place(input));
    }
    result infer(view const& cell, sequence_in_place<Page, S> const& input) const {
        auto found = result_of(cell, input.shape);
        runs().infer(Own::inference_program(), numbers_of(cell), sequence_of(input, found));
        return found;
    }
    tape forward(view const& cell, sequence_input<Page, S> input) const {
        auto made = std::make_shared<typename tape::memory>();
        made->input = std::move(input);
        auto const given = in_place(made->input);
        tape kept{result_of(cell, given.shape)};
        made->of_engine = runs().forward(Own::forward_program(), numbers_of(cell), sequence_of(given, kept));
        kept.kept = std::move(made);
        return kept;
    }
    gradients<Page, S> backward(view const& cell, tape const& forward,
                                upstream_gradients<Page, S> upstream) const {
        auto const& input = forward.kept->input;
        detail::clear_padding(upstream.outputs, input.lengths);
        gradients<Page, S> found{.parameters = unwritten_parameters<Page, S>(cell.extents),
                                 .state = std::move(upstream.state)};
        constexpr auto count = static_cast<std::size_t>(passes<Page>::inputs.size());
        if (upstream.want_inputs)
            for (std::size_t k = 0; k < count; ++k)
                nth_input(found.inputs, k).resize(nth_input(input.xs, k).shape());
        runs().backward(Own::backward_program(), numbers_of(cell), forward.kept->of_engine,
                        {.outputs = upstream.outputs.data(),
                         .final_states = addresses_of<S const>(std::as_const(found.state)),
                         .states = addresses_of<S>(found.state),
                         .inputs = upstream.want_inputs ? addresses_of<S>(found.inputs) : std::vector<S*>{},
                         .parameters = found.parameters.values(),
                         .places = found.parameters.array().places()});
        return found;
    }
    stepper prepare(view const& cell, std::size_t batch) const {
        return stepper(cell.extents, batch, [&](auto const& inputs, S* output) {
            return runs().prepare(Own::step_program(), numbers_of(cell), batch, inputs, output);
        });
    }
    void refresh(view const& cell, stepper& of) const { runs().refresh(numbers_of(cell), of.steps()); }
    static auto step_program() { return Own::inference_program(); }

protected:
    static cell_numbers<S> numbers_of(view const& cell) {
        auto const& all = cell.parameters->array();
        return {cell.extents, all.places(), all.values(), *cell.settings};
    }

private:
    engine_type const& runs() const { return static_cast<Own const&>(*this).as_engine(); }
    static sequence_in_place<Page, S> in_place(sequence_input<Page, S> const& input) {
        return {.inputs = addresses_of<S const>(input.xs),
                .shape = {steps_of(input.xs), batch_of(input.xs)},
                .start = &input.state,
                .rows = input.rows()};
    }
    static result result_of(view const& cell, std::array<std::size_t, 2> const& shape) {
        result made{.state = zero_states<Page, S>(cell.extents, shape[1])};
        made.outputs.resize({shape[0], shape[1], extent(passes<Page>::output, cell.extents)});
        return made;
    }
    static engine_sequence<S> sequence_of(sequence_in_place<Page, S> const& input, result& found) {
        return {.steps = input.shape[0],
                .rows = input.rows,
                .inputs = input.inputs,
                .states = addresses_of<S const>(*input.start),
                .final_states = addresses_of<S>(found.state),
                .outputs = found.outputs.data()};
    }
};

} // namespace sluice
