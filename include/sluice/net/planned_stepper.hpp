// SPDX-License-Identifier: BSL-1.0
// planned_stepper: the steps of planned_engine, an endless_run.
#pragma once

#include <cstddef>
#include <memory>
#include <sluice/execute/endless.hpp>
#include <sluice/execute/leaves.hpp>
#include <sluice/net/engine.hpp>
#include <utility>
#include <vector>

namespace sluice {

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
    /// Of constant sizes it is read where it lies, otherwise copied to where it was before.
    void step(S const* first) noexcept(Kernels::is_host) override;

private:
    plan_leaves leaves_;
    std::shared_ptr<void const> made_{};
    run_type run_;
    S const* first_ = nullptr; ///< the first input, where the equations read it
};

template <class S, class Kernels>
planned_stepper<S, Kernels>::planned_stepper(typename run_type::pool_type const& pool,
                                             sweep_program<S, Kernels> const& program,
                                             plan_leaves const& leaves, sizes const& n, std::size_t batch,
                                             std::vector<S const*> const& inputs, S* output)
    : leaves_(leaves), run_(pool, program, n, batch) {
    for (std::size_t k = 0; k < leaves_.inputs.size(); ++k)
        run_.give(leaves_.inputs[k], inputs[k]);
    run_.expect(leaves_.output, output);
    if (!leaves_.inputs.empty())
        first_ = inputs[0];
}

template <class S, class Kernels>
void planned_stepper<S, Kernels>::step(S const* first) noexcept(Kernels::is_host) {
    if (run_.is_fixed())
        return run_.run_from(first);
    if (first_ != nullptr && first != first_)
        run_.fill_first(first);
    run_.run();
}

} // namespace sluice
