// SPDX-License-Identifier: BSL-1.0
// The engine (net/engine.hpp) of a cell whose lowering works on tensors of the host (lower/backend.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <sluice/lower/backend.hpp>
#include <sluice/net/engine.hpp>
#include <utility>
#include <vector>

namespace sluice {

/// It refers to the cell, whose lowering is told of changed parameters by the cell itself.
template <class Cell, class Kernels>
class lowering_engine final : public engine<typename Cell::scalar_type, Kernels> {
    using S = typename Cell::scalar_type;
    using page = typename Cell::page_type;
    using base = engine<S, Kernels>;
    using kept_type = typename Cell::lowering_type::tape;

public:
    using typename base::numbers, typename base::program, typename base::tape;

    explicit lowering_engine(Cell const& cell) : cell_(&cell) {}

    void refresh(numbers const&) override {}
    void infer(program const&, numbers const&, engine_sequence<S> const& given) const override {
        put(cell_->lowered().infer(cell_->view(), input_of(given)), given);
    }
    tape forward(program const&, numbers const&, engine_sequence<S> const& given) const override {
        auto made = std::make_shared<kept_type>(cell_->lowered().forward(cell_->view(), input_of(given)));
        put(*made, given);
        return made;
    }
    void backward(program const&, numbers const&, tape const& of,
                  engine_gradients<S> const& found) const override {
        auto const& kept = *static_cast<kept_type const*>(of.get());
        auto const [steps, batch] = kept.shape();
        upstream_gradients<page, S> given{.state = zero_states<page, S>(cell_->extents(), batch),
                                          .want_inputs = !found.inputs.empty()};
        given.outputs.resize({steps, batch, cell_->output_size()});
        std::copy_n(found.outputs, given.outputs.size(), given.outputs.data());
        for_each_entry(given.state, [&](int k, auto, auto& state) {
            std::copy_n(found.final_states[static_cast<std::size_t>(k)], state.size(), state.data());
        });
        auto const back = cell_->lowered().backward(cell_->view(), kept, std::move(given));
        for_each_entry(back.state, [&](int k, auto, auto const& state) {
            std::copy_n(state.data(), state.size(), found.states[static_cast<std::size_t>(k)]);
        });
        for (std::size_t k = 0; k < found.inputs.size(); ++k) {
            auto const& input = nth_input(back.inputs, k);
            std::copy_n(input.data(), input.size(), found.inputs[k]);
        }
        auto const& all = back.parameters.array();
        for (std::size_t i = 0; i < found.places.size(); ++i)
            std::ranges::copy(all.places()[i].in(all.values()), found.places[i].in(found.parameters).begin());
    }

    std::unique_ptr<stepper<S>> prepare(program const&, numbers const&, std::size_t batch,
                                        std::vector<S const*> const& inputs, S* output) const override {
        return std::make_unique<lowering_steps>(*cell_, batch, inputs, output);
    }
    void refresh(numbers const&, stepper<S>& of) const override {
        cell_->lowered().refresh(cell_->view(), static_cast<lowering_steps&>(of).of_lowering);
    }

private:
    class lowering_steps final : public stepper<S> {
    public:
        lowering_steps(Cell const& cell, std::size_t batch, std::vector<S const*> const& inputs, S* output)
            : of_lowering(cell.lowered().prepare(cell.view(), batch)),
              state_(zero_states<page, S>(cell.extents(), batch)), inputs_(inputs), output_(output) {
            of_lowering.set_state(state_);
        }

        void set_state(std::size_t state, S const* from, std::size_t first, std::size_t last) override {
            of_lowering.copy_state(state_);
            for_each_entry(state_, [&](int k, auto, auto& tensor) {
                std::size_t const width = tensor.shape()[1];
                if (static_cast<std::size_t>(k) == state)
                    std::copy(from + first * width, from + last * width, tensor.data() + first * width);
            });
            of_lowering.set_state(state_);
        }
        void copy_state(std::size_t state, S* to) const override {
            auto found = state_;
            of_lowering.copy_state(found);
            for_each_entry(found, [&](int k, auto, auto const& tensor) {
                if (static_cast<std::size_t>(k) == state)
                    std::copy_n(tensor.data(), tensor.size(), to);
            });
        }
        void step(S const* first) override {
            for (std::size_t k = 0; k < inputs_.size(); ++k) {
                auto& input = nth_input(of_lowering.inputs, k);
                std::copy_n(k == 0 ? first : inputs_[k], input.size(), input.data());
            }
            of_lowering.step();
            std::copy_n(of_lowering.output.data(), of_lowering.output.size(), output_);
        }

        typename Cell::lowering_type::stepper of_lowering;

    private:
        state_map<page, S> state_; ///< room for it
        std::vector<S const*> inputs_;
        S* output_;
    };
    Cell const* cell_;

    sequence_input<page, S> input_of(engine_sequence<S> const& given) const {
        std::size_t const batch = given.rows.batch;
        sequence_input<page, S> made{.state = zero_states<page, S>(cell_->extents(), batch),
                                     .lengths = {given.rows.lengths.begin(), given.rows.lengths.end()}};
        for (std::size_t k = 0; k < given.inputs.size(); ++k) {
            auto& input = nth_input(made.xs, k);
            input.resize({given.steps, batch, input_width<page>(k, cell_->extents())});
            std::copy_n(given.inputs[k], input.size(), input.data());
        }
        for_each_entry(made.state, [&](int k, auto, auto& state) {
            std::copy_n(given.states[static_cast<std::size_t>(k)], state.size(), state.data());
        });
        if (!given.rows.resets.empty()) {
            xt::xtensor<bool, 2> mask = xt::zeros<bool>({given.steps, batch});
            std::ranges::copy(given.rows.resets, mask.begin());
            made.resets = mask;
        }
        return made;
    }
    /// Of a result or a tape.
    template <class Found>
    static void put(Found const& found, engine_sequence<S> const& to) {
        std::copy_n(found.outputs.data(), found.outputs.size(), to.outputs);
        for_each_entry(found.state, [&](int k, auto, auto const& state) {
            std::copy_n(state.data(), state.size(), to.final_states[static_cast<std::size_t>(k)]);
        });
    }
};

} // namespace sluice
