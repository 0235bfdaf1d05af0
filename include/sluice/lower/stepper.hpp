// SPDX-License-Identifier: BSL-1.0
// plan_stepper: the inference plan of one time step, prepared once and run for as long as inputs come. The state stays
// where it is: the buffers that carry it are used in turn.
#pragma once

#include <memory>
#include <sluice/lower/backend.hpp>
#include <sluice/lower/leaves.hpp>
#include <sluice/lower/run.hpp>

namespace sluice {

/// Runs the plan of a sweep that goes forward, one time step at each call. It knows the equations only through values.
template <class S, class Kernels>
class endless_run {
    using kernels = checked_kernels<Kernels, S>;

public:
    endless_run(std::shared_ptr<memory_pool<S>> const& pool, sweep_program<S> const& program, sizes const& n,
                std::size_t batch)
        : values(pool, program.graph, program.plan, n, 1, batch, nullptr, true),
          tasks_(values, program.run_block, pool) {}
    endless_run(endless_run const&) = delete;
    endless_run& operator=(endless_run const&) = delete;

    sweep_memory<S> values; ///< leaves are given here

    /// Whenever leaves or matrices lie elsewhere.
    void prepare(matrix_values<S> const& matrices) {
        tasks_.prepare([&](int node, phase) { return values.value(node); }, matrices, ~0u);
    }
    void run() { tasks_.run(++now_); }

    /// Puts [batch, columns] where the last step put that result, for the next one to find.
    void copy_in(int result, S const* from) {
        auto const to = values.value(result);
        copy(dense(const_cast<S*>(from), to), to);
    }
    /// to[batch, columns] = a value of the last step.
    void copy_out(int node, S* to) const {
        auto const from = values.value(node);
        copy(from, dense(to, from));
    }

private:
    prepared_tasks<S, kernels> tasks_;
    std::size_t now_ = 0; ///< the last step

    strided_view<S> dense(S* data, strided_view<S> const& like) const {
        return strided_view<S>::dense(data, values.batch, like.columns, false);
    }
    void copy(strided_view<S> const& from, strided_view<S> const& to) const {
        detail::copy_rows<kernels>(from, from.at(now_), to, to.at(now_), 0, values.batch);
    }
};

/// The stepper of plan_lowering. The plan reads and writes memory of its own, which stays where it is when it is moved.
template <class Equations, class S, class Kernels>
class plan_stepper : public step_tensors<Equations, S> {
    using run_type = endless_run<S, Kernels>;

public:
    plan_stepper(std::shared_ptr<memory_pool<S>> const& pool, sweep_program<S> const& program,
                 plan_leaves const& leaves, sizes const& n, std::size_t batch)
        : step_tensors<Equations, S>(n, batch), leaves_(leaves), program_(program), extents_(n),
          run_(std::make_unique<run_type>(pool, program, n, batch)) {}

    /// `packed` are the matrices that the lowering has already.
    void refresh(leaf_values<S> values, matrix_values<S> const& packed) {
        for (std::size_t k = 0; k < leaves_.inputs.size(); ++k)
            values.inputs.push_back(nth_input(this->inputs, k).data());
        values.give(leaves_, run_->values);
        matrices_ = matrix_values<S>(program_.graph, extents_, &packed);
        values.give(leaves_, matrices_);
        for (int const w : program_.plan.weights)
            matrices_.make(w);
        run_->prepare(matrices_);
    }

    void set_state(state_map<Equations, S> const& from) {
        for_each_entry(from, [&](int k, auto, auto const& tensor) { run_->copy_in(next(k), tensor.data()); });
    }
    void copy_state(state_map<Equations, S>& to) const {
        for_each_entry(to, [&](int k, auto, auto& tensor) { run_->copy_out(next(k), tensor.data()); });
    }
    void step() {
        run_->run();
        run_->copy_out(leaves_.output, this->output.data());
    }

private:
    plan_leaves leaves_;
    sweep_program<S> program_;
    sizes extents_;
    matrix_values<S> matrices_{};
    std::unique_ptr<run_type> run_;

    int next(int state) const { return leaves_.next[static_cast<std::size_t>(state)]; }
};

} // namespace sluice
