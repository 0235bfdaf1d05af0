// SPDX-License-Identifier: BSL-1.0
// plan_stepper: the stepper of plan_lowering, an endless_run with the tensors of a step.
#pragma once

#include <algorithm>
#include <memory>
#include <sluice/lower/backend.hpp>
#include <sluice/lower/endless.hpp>
#include <sluice/lower/leaves.hpp>
#include <utility>

namespace sluice {

/// The plan reads and writes memory of its own, which stays where it is when it is moved.
template <class Equations, class S, class Kernels>
class plan_stepper : public step_tensors<Equations, S> {
    using run_type = endless_run<S, Kernels>;

public:
    plan_stepper(typename run_type::pool_type const& pool, sweep_program<S, Kernels> const& program,
                 plan_leaves const& leaves, sizes const& n, std::size_t batch)
        : step_tensors<Equations, S>(n, batch), leaves_(leaves),
          run_(std::make_unique<run_type>(pool, program, n, batch)) {
        auto const given = addresses_of<S const>(this->inputs);
        for (std::size_t k = 0; k < leaves_.inputs.size(); ++k)
            if (leaves_.inputs[k] >= 0)
                run_->give(leaves_.inputs[k], given[k]);
        run_->expect(leaves_.output, this->output.data());
    }

    /// Where parameters and settings are given.
    run_type& run() { return *run_; }
    /// Keeps what steps multiply with.
    void keep(std::shared_ptr<void const> made) { made_ = std::move(made); }

    void set_state(state_map<Equations, S> const& from) { set_rows(from, 0, run_->values.batch); }
    void set_state(state_map<Equations, S> const& from, std::size_t row) { set_rows(from, row, row + 1); }
    void copy_state(state_map<Equations, S>& to) const {
        for_each_entry(to, [&](int k, auto, auto& tensor) { run_->copy_out(next(k), tensor.data()); });
    }
    void step() noexcept(Kernels::is_host) { run_->run(); }
    /// A step whose first input lies there.
    void step_from(S const* first) noexcept(Kernels::is_host) {
        if (run_->is_fixed())
            return run_->run_from(first);
        this->take_first(first);
        step();
    }

private:
    plan_leaves leaves_;
    std::shared_ptr<void const> made_{};
    std::unique_ptr<run_type> run_;

    int next(int state) const { return leaves_.next[static_cast<std::size_t>(state)]; }
    void set_rows(state_map<Equations, S> const& from, std::size_t first, std::size_t last) {
        for_each_entry(from, [&](int k, auto, auto const& tensor) {
            run_->copy_in(next(k), tensor.data(), first, last);
        });
    }
};

} // namespace sluice
