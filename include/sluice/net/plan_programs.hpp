// SPDX-License-Identifier: BSL-1.0
// plan_lowering: the lowering of a backend that has kernels only. Its engine is a planned_engine. Forward
// runs the forward plan, backward that of the gradients, which reads the values that the forward plan kept.
// Infer and steppers run a plan that keeps nothing, and need no gradient.
//
// Here are its programs, which every file compiles for its own cells. The engine depends on no cell: it is in
// the compiled runtime, or comes with net/plan_lowering.hpp.
#pragma once

#include <memory>
#include <sluice/backend/kernels.hpp>
#include <sluice/execute/fixed_step.hpp>
#include <sluice/net/lowering.hpp>
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

/// A cell of constant sizes, Extents::known, has steps of its own (execute/fixed_step.hpp).
template <class Page, class S, class Kernels, class Extents = void>
struct plan_lowering {
    using kernels_type = checked_kernels<Kernels, S>;

    static std::shared_ptr<engine<S, kernels_type>> make(cell_numbers<S> const&) { return make_engine(); }
    /// Between addresses of the kernels' memory. The cell has these sizes, places and settings, and its net
    /// so many numbers.
    static std::shared_ptr<engine<S, kernels_type>> make_engine(sizes const&, std::span<tensor_place const>,
                                                                std::vector<arithmetic_of<S>> const&,
                                                                std::size_t) {
        return make_engine();
    }

    /// Tasks of the plan of a run that is to be differentiated; the plan of backward is evaluated with it.
    static constexpr int forward_tasks = plans<Page>::forward.tasks.size();

    static sweep_program<S, kernels_type> inference_program() {
        return detail::program_of<detail::inference_plan<Page>, S, kernels_type>();
    }
    static sweep_program<S, kernels_type> forward_program() {
        return detail::program_of<detail::forward_plan<Page>, S, kernels_type>();
    }
    static sweep_program<S, kernels_type> backward_program() {
        return detail::program_of<detail::backward_plan<Page>, S, kernels_type>();
    }
    static sweep_program<S, kernels_type> step_program() {
        auto made = inference_program();
        if constexpr (!std::is_void_v<Extents>) {
            using step = fixed_step<detail::inference_plan<Page>, S, kernels_type, Extents::known>;
            if constexpr (step::is_known) {
                made.run_fixed = &step::run;
                made.writes_copies = step::writes_copies;
            }
        }
        return made;
    }

private:
    static std::shared_ptr<engine<S, kernels_type>> make_engine() {
        return make_planned_engine<S, kernels_type>({plans<Page>::graph, plans<Page>::leaves});
    }
};

} // namespace sluice
