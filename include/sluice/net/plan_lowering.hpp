// SPDX-License-Identifier: BSL-1.0
// plan_lowering: the lowering of a backend that has kernels only, a thin shell of planned_engine. Forward
// runs the forward plan, backward that of the gradients, which reads the values that the forward plan kept.
// Infer and steppers run a plan that keeps nothing, and need no gradient.
#pragma once

#include <memory>
#include <sluice/net/engine_lowering.hpp>
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

/// A cell of constant sizes, Extents::known, has steps of its own (lower/fixed_step.hpp).
template <class Equations, class S, class Kernels, class Extents = void>
class plan_lowering : public engine_lowering<plan_lowering<Equations, S, Kernels, Extents>, Equations, S,
                                             checked_kernels<Kernels, S>> {
    using second = plans<Equations>;
    using kernels = checked_kernels<Kernels, S>;
    using base = engine_lowering<plan_lowering, Equations, S, kernels>;

public:
    using base::refresh;
    void refresh(cell_view<Equations, S> const& cell) { engine_.refresh(this->numbers_of(cell)); }

    static sweep_program<S, kernels> step_program() {
        auto made = inference_program();
        if constexpr (!std::is_void_v<Extents>) {
            using step = fixed_step<detail::inference_plan<Equations>, S, kernels, Extents::known>;
            if constexpr (step::is_known)
                made.run_fixed = &step::run;
        }
        return made;
    }

    // Of a layer of a net (net/net.hpp).

    /// What runs the cell, between addresses of the host.
    engine<S, kernels> const& as_engine() const { return engine_; }

    /// Another one, between addresses of the kernels' memory. The cell has these sizes, places and settings,
    /// and its net so many numbers.
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
};

} // namespace sluice
