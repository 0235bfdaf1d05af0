// SPDX-License-Identifier: BSL-1.0
// The steps of an engine, with the tensors of a step by their names: the stepper of a lowering.
#pragma once

#include <cstddef>
#include <memory>
#include <sluice/lower/backend.hpp>
#include <sluice/net/engine.hpp>
#include <utility>

namespace sluice {

template <class Page, class S>
class cell_stepper : public step_tensors<Page, S> {
public:
    /// prepare(inputs, output) makes the steps.
    template <class Prepare>
    cell_stepper(sizes const& n, std::size_t batch, Prepare const& prepare)
        : step_tensors<Page, S>(n, batch), batch_(batch),
          steps_(prepare(addresses_of<S const>(std::as_const(this->inputs)), this->output.data())) {}

    stepper<S>& steps() { return *steps_; }

    void set_state(state_map<Page, S> const& from) { set_rows(from, 0, batch_); }
    void set_state(state_map<Page, S> const& from, std::size_t row) { set_rows(from, row, row + 1); }
    void copy_state(state_map<Page, S>& to) const {
        for (std::size_t k = 0; k < to.count; ++k)
            steps_->copy_state(k, to.tensors()[k].data());
    }
    void step() { steps_->step(nth_input(this->inputs, 0).data()); }
    /// One step. The first input is at that address.
    void step_from(S const* first) { steps_->step(first); }

private:
    std::size_t batch_;
    std::unique_ptr<stepper<S>> steps_;

    void set_rows(state_map<Page, S> const& from, std::size_t first, std::size_t last) {
        for (std::size_t k = 0; k < from.count; ++k)
            steps_->set_state(k, from.tensors()[k].data(), first, last);
    }
};

} // namespace sluice
