// SPDX-License-Identifier: BSL-1.0
//
// What the optimisers share. An optimiser is made for one cell and holds, per trainable number, the slots
// that its rule (train/rule.hpp) names, a momentum, say, each in an array like that of the cell's parameters.
// A step is one pass over these arrays, or a few where parameters in between are frozen.
//
// Weights and gradients are of the cell's scalar S; slots, and all that is computed, are of its arithmetic A
// (core/arithmetic.hpp). A weight is rounded once in a step, and no finer copy of it is kept: where S is
// narrow, a step of less than half of its last digit is lost.
#pragma once

#include <array>
#include <cstddef>
#include <sluice/parameter/parameters.hpp>
#include <sluice/train/optimizer_base.hpp>
#include <span>
#include <string_view>

namespace sluice {

namespace detail {

/// What of an optimiser knows no names.
template <class S, class Rule>
class optimizer_core : public constrained_optimizer<S, Rule> {
    using base = constrained_optimizer<S, Rule>;
    using base::slot_count;

protected:
    using number = arithmetic_of<S>;

    optimizer_core(arena<S> const& parameters, Rule const& rule);

    /// Everything is checked, and nothing has changed: the number of the step.
    std::int64_t checked_step(arena<S> const& parameters, arena<S> const& gradients) const;
    void move(std::int64_t step, std::span<S> values, std::span<S const> gradients);

    template <class Self, class F>
    static void visit(Self& self, F& f) {
        self.require_here();
        self.visit_step(f);
        for (std::size_t i = 0; i < slot_count; ++i)
            self.visit_slot(f, i, self.slots_[i].values());
    }

    std::array<arena<number>, slot_count> slots_{};

private:
    static arena<S> const& required(arena<S> const& parameters) {
        parameters.require(base::whose_parameters);
        return parameters;
    }
};

template <class S, class Rule>
[[gnu::cold]] optimizer_core<S, Rule>::optimizer_core(arena<S> const& parameters, Rule const& rule)
    : base(required(parameters).places(), rule) {
    for (auto& slot : slots_)
        slot = arena<number>({this->places().begin(), this->places().end()});
}

template <class S, class Rule>
std::int64_t optimizer_core<S, Rule>::checked_step(arena<S> const& parameters,
                                                   arena<S> const& gradients) const {
    auto const step = this->next_step();
    auto const places = required(parameters).places();
    gradients.require("the map of gradients");
    this->check_shapes(places, gradients.places());
    typename base::slot_numbers kept{};
    for (std::size_t i = 0; i < slot_count; ++i)
        kept[i] = slots_[i].values();
    this->check_numbers(parameters.values(), kept, gradients.values(), !this->slots_are_in_range());
    return step;
}

template <class S, class Rule>
void optimizer_core<S, Rule>::move(std::int64_t step, std::span<S> values, std::span<S const> gradients) {
    this->for_each_run([&](std::size_t first, std::size_t count) {
        std::array<number*, slot_count> kept{};
        for (std::size_t i = 0; i < slot_count; ++i)
            kept[i] = slots_[i].values().data() + first;
        step_numbers(this->settings(), step, values.subspan(first, count), gradients.subspan(first, count),
                     kept);
    });
    this->apply_constraints(values);
}

} // namespace detail

template <class Cell, class Rule>
class optimizer : public detail::named_optimizer<typename Cell::parameters_type,
                                                 detail::optimizer_core<typename Cell::scalar_type, Rule>> {
    using core = detail::optimizer_core<typename Cell::scalar_type, Rule>;
    using base = detail::named_optimizer<typename Cell::parameters_type, core>;

public:
    using scalar_type = typename Cell::scalar_type;
    using number_type = arithmetic_of<scalar_type>;
    using parameters_type = typename Cell::parameters_type;

    explicit optimizer(Cell const& cell, Rule rule) : base(cell.parameters().array(), rule) {}

    /// One step of every parameter that is not frozen, then its constraint. Everything is checked first, and
    /// what is refused changes nothing: gradients of another shape, a cell of other sizes, numbers that are
    /// not finite or so large that the step could overflow, one step too many, an optimiser that was moved
    /// from.
    void step(Cell& cell, parameters_type const& gradients) {
        auto const step = this->checked_step(cell.parameters().array(), gradients.array());
        cell.update_values(
            [&](std::span<scalar_type> values) { this->move(step, values, gradients.values()); });
        this->made(step);
    }

    /// Storable: "step" [1], then every slot of every parameter, such as "m/W_r". Settings, constraints
    /// and what is frozen are the program's, not stored.
    template <class F>
    void visit_tensors(F&& f) const {
        core::visit(*this, f);
    }
    template <class F>
    void visit_tensors(F&& f) {
        core::visit(*this, f);
    }
};

} // namespace sluice
