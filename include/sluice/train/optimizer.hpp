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
#include <functional>
#include <sluice/parameter/parameters.hpp>
#include <sluice/train/optimizer_base.hpp>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

template <class Cell, class Rule>
class optimizer : public detail::optimizer_base<typename Cell::parameters_type, Rule,
                                                arithmetic_of<typename Cell::scalar_type>> {
    using base = detail::optimizer_base<typename Cell::parameters_type, Rule,
                                        arithmetic_of<typename Cell::scalar_type>>;
    using base::slot_count;

public:
    using scalar_type = typename Cell::scalar_type;
    using number_type = arithmetic_of<scalar_type>;
    using parameters_type = typename Cell::parameters_type;
    /// Applied to the values of a parameter after each step, such as a projection onto a ball. It must not
    /// throw.
    using constraint_type = std::function<void(std::span<scalar_type>)>;

    explicit optimizer(Cell const& cell, Rule rule)
        : base(required(cell.parameters()).places(), rule), constraints_(this->places().size()) {
        for (auto& slot : slots_)
            slot = arena<number_type>({this->places().begin(), this->places().end()});
    }

    /// One step of every parameter that is not frozen, then its constraint. Everything is checked first, and
    /// what is refused changes nothing: gradients of another shape, a cell of other sizes, numbers that are
    /// not finite or so large that the step could overflow, one step too many, an optimiser that was moved
    /// from.
    void step(Cell& cell, parameters_type const& gradients) {
        auto const step = this->next_step();
        parameters_type const& parameters = cell.parameters();
        auto const places = required(parameters).places();
        gradients.array().require("the map of gradients");
        this->check_shapes(places, gradients.array().places());
        typename base::slot_numbers kept{};
        for (std::size_t i = 0; i < slot_count; ++i)
            kept[i] = slots_[i].values();
        this->check_numbers(std::span<scalar_type const>(parameters.values()), kept,
                            std::span<scalar_type const>(gradients.values()));
        cell.update_values([&](std::span<scalar_type> values) {
            this->for_each_run([&](std::size_t first, std::size_t count) {
                std::array<number_type*, slot_count> slots{};
                for (std::size_t i = 0; i < slot_count; ++i)
                    slots[i] = slots_[i].values().data() + first;
                detail::step_numbers(this->settings(), step, values.subspan(first, count),
                                     gradients.values().subspan(first, count), slots);
            });
            for (std::size_t i = 0; i < constraints_.size(); ++i)
                if (constraints_[i] && !this->is_kept(i))
                    constraints_[i](this->places()[i].in(values));
        });
        this->made(step);
    }

    /// Sets the constraint of one parameter; an empty function takes it away.
    template <class Key>
    void constrain(Key key, constraint_type constraint) {
        constraints_[this->place(key)] = std::move(constraint);
    }

    /// Storable: "step" [1], then every slot of every parameter, such as "m/W_r". Settings, constraints
    /// and what is frozen are the program's, not stored.
    template <class F>
    void visit_tensors(F&& f) const {
        visit(*this, f);
    }
    template <class F>
    void visit_tensors(F&& f) {
        visit(*this, f);
    }

private:
    static arena<scalar_type> const& required(parameters_type const& parameters) {
        parameters.array().require(base::whose_parameters);
        return parameters.array();
    }
    template <class Self, class F>
    static void visit(Self& self, F& f) {
        self.require_here();
        self.visit_step(f);
        for (std::size_t i = 0; i < slot_count; ++i)
            self.visit_slot(f, i, self.slots_[i].values());
    }

    std::array<arena<number_type>, slot_count> slots_{};
    std::vector<constraint_type> constraints_{}; ///< of each parameter
};

} // namespace sluice
