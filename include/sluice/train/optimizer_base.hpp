// SPDX-License-Identifier: BSL-1.0
// What an optimiser is besides its slots, wherever those lie: a rule, the number of its steps, which
// parameters are frozen, and which have a constraint.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/parameter/parameters.hpp>
#include <sluice/train/rule.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice {

/// An optimiser makes at most 2^53 steps: rules compute with their number in a double, which is exact up to
/// here.
inline constexpr std::int64_t most_steps = std::int64_t{1} << 53;

namespace detail {

/// Of a rule, computed in the numbers A.
template <class Rule, class A>
class optimizer_base {
public:
    double learning_rate() const { return rule_.learning_rate; }
    void set_learning_rate(double rate);

    Rule const& settings() const { return rule_; }
    std::int64_t steps() const { return step_; }

protected:
    static constexpr std::size_t slot_count = Rule::slot_names.size();
    static constexpr char const* whose_parameters = "the cell's map of parameters";
    using slot_numbers = std::array<std::span<A const>, slot_count>;

    /// For parameters that lie side by side in this order.
    optimizer_base(std::span<tensor_place const> places, Rule const& rule);
    optimizer_base(optimizer_base const&) = default;
    optimizer_base(optimizer_base&&) noexcept = default;
    optimizer_base& operator=(optimizer_base const&) = default;
    optimizer_base& operator=(optimizer_base&&) = default;
    ~optimizer_base() = default;

    std::span<tensor_place const> places() const { return places_; }
    bool is_constant(std::size_t parameter) const { return is_constant_[parameter] != 0; }
    /// Throws `std::invalid_argument` where one that the equations fix is not to be kept.
    void keep(std::size_t parameter, bool kept);
    void require_here() const { here_.require("the optimiser"); }
    /// The number of the next step.
    std::int64_t next_step() const {
        require_here();
        if (step_ >= most_steps)
            fail<std::invalid_argument>(
                {"an optimiser makes at most ", most_steps, " steps, and has made them"});
        return step_ + 1;
    }
    void made(std::int64_t step) {
        step_ = step;
        slots_are_in_range_ = true;
    }
    /// A step leaves its slots in their range. Another learning rate has another range, slots may be read
    /// from a file, and those of a parameter that was frozen are older than the last step.
    bool slots_are_in_range() const { return slots_are_in_range_; }

    /// f(first, count) for every run of numbers that are not frozen: a single one where nothing is.
    template <class F>
    void for_each_run(F&& f) const {
        std::size_t first = 0, end = 0;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            if (is_constant(i)) {
                if (end > first)
                    f(first, end - first);
                first = places_[i].first + places_[i].count();
            }
            end = places_[i].first + places_[i].count();
        }
        if (end > first)
            f(first, end - first);
    }

    // Words are put together where something is wrong only: a step that goes well allocates nothing.

    /// Of the cell that it was made for, and gradients for that.
    void check_shapes(std::span<tensor_place const> cell, std::span<tensor_place const> gradients) const;
    /// Refuses weights, gradients and, unless those are in range, slots with which a step could overflow.
    template <class S>
    void check_numbers(std::span<S const> weights, slot_numbers const& kept, std::span<S const> gradients,
                       bool with_slots = true) const;

    /// f("step", [1], the number of steps)
    template <class F>
    void visit_step(F&& f) const {
        constexpr std::array<std::size_t, 1> shape{1};
        f(std::string_view("step"), std::span<std::size_t const>(shape),
          std::span<std::int64_t const>(&step_, 1));
    }
    template <class F>
    void visit_step(F&& f) {
        constexpr std::array<std::size_t, 1> shape{1};
        auto step = step_;
        slots_are_in_range_ = false;
        f(std::string_view("step"), std::span<std::size_t const>(shape), std::span<std::int64_t>(&step, 1));
        if (step < 0 || step > most_steps)
            fail<std::invalid_argument>(
                {"an optimiser expects a step count from 0 to ", most_steps, ", but it is ", step});
        step_ = step;
    }
    /// f("m/W_r", shape, its numbers) for each parameter of one slot, and its numbers are checked where they
    /// may have been changed.
    template <class F, class Number>
    void visit_slot(F&& f, std::size_t slot, std::span<Number> numbers) const {
        for (tensor_place const& at : places_) {
            auto const values = at.in(numbers);
            f(std::string_view(std::string(Rule::slot_names[slot]).append("/").append(at.called)), at.shape(),
              values);
            if constexpr (!std::is_const_v<Number>)
                if (interval const expected = rule_.template range<A>().of_slots[slot];
                    !expected.contains(std::span<A const>(values)))
                    refuse("an optimiser", "", Rule::slot_names[slot], expected);
        }
    }

private:
    Rule rule_;
    std::int64_t step_ = 0;
    bool slots_are_in_range_ = false;
    std::vector<tensor_place> places_{};
    std::vector<unsigned char> is_constant_{}; ///< of each parameter: frozen, or fixed by its equations
    presence here_{};

    [[noreturn]] static void refuse(std::string_view who, std::string_view parameter, std::string_view what,
                                    interval expected);
};

/// An optimiser of parameters of the scalar S, each of which may have a constraint.
template <class S, class Rule>
class constrained_optimizer : public optimizer_base<Rule, arithmetic_of<S>> {
public:
    /// Applied to the values of a parameter after each step, such as a projection onto a ball. The host calls
    /// it, wherever the parameters lie. It must not throw.
    using constraint_type = std::function<void(std::span<S>)>;

protected:
    constrained_optimizer(std::span<tensor_place const> places, Rule const& rule)
        : constrained_optimizer::optimizer_base(places, rule), constraints_(places.size()) {}

    void set_constraint(std::size_t parameter, constraint_type constraint) {
        constraints_[parameter] = std::move(constraint);
    }
    /// f(place, constraint) for every parameter that has one and is not frozen.
    template <class F>
    void for_each_constraint(F&& f) const {
        for (std::size_t i = 0; i < constraints_.size(); ++i)
            if (constraints_[i] && !this->is_constant(i))
                f(this->places()[i], constraints_[i]);
    }
    /// Of all values, those of parameters without a constraint are not looked at.
    void apply_constraints(std::span<S> values) const {
        for_each_constraint(
            [&](tensor_place const& at, constraint_type const& constraint) { constraint(at.in(values)); });
    }

private:
    std::vector<constraint_type> constraints_{}; ///< of each parameter
};

/// An optimiser whose parameters have names: "W_r"_s in a cell, and "layer1/W_r" in a stack of layers.
template <class Parameters, class Base>
class named_optimizer : public Base {
public:
    /// Leaves one parameter, and its slots, as they are. One that the equations fix is so from the start, and
    /// `unfreeze` throws `std::invalid_argument` for it.
    template <class Key>
    void freeze(Key key) {
        this->keep(place(key), true);
    }
    template <class Key>
    void unfreeze(Key key) {
        this->keep(place(key), false);
    }
    template <class Key>
    bool is_frozen(Key key) const {
        return this->is_constant(place(key));
    }
    /// Sets the constraint of one parameter; an empty function takes it away.
    template <class Key>
    void constrain(Key key, typename Base::constraint_type constraint) {
        this->set_constraint(place(key), std::move(constraint));
    }

protected:
    using Base::Base;

    template <class Key>
    std::size_t place(Key const& key) const {
        this->require_here();
        return place_of_parameter<Parameters>(key, this->places());
    }
};

// None of this is inline: a program that links the compiled runtime compiles none of it.

template <class Rule, class A>
[[gnu::cold]] optimizer_base<Rule, A>::optimizer_base(std::span<tensor_place const> places, Rule const& rule)
    : rule_(rule), places_(places.begin(), places.end()) {
    rule_.template check<A>();
    lay_out(places_);
    for (tensor_place const& at : places_)
        is_constant_.push_back(at.trained ? 0 : 1);
}

template <class Rule, class A>
[[gnu::cold]] void optimizer_base<Rule, A>::set_learning_rate(double rate) {
    auto rule = rule_;
    rule.learning_rate = rate;
    rule.template check<A>();
    rule_ = rule;
    slots_are_in_range_ = false;
}

template <class Rule, class A>
[[gnu::cold]] void optimizer_base<Rule, A>::keep(std::size_t parameter, bool kept) {
    if (!kept && !places_[parameter].trained)
        fail<std::invalid_argument>(
            {"parameter ", places_[parameter].called, " is fixed by its equations, and never trained"});
    is_constant_[parameter] = kept ? 1 : 0;
    slots_are_in_range_ = false;
}

template <class Rule, class A>
void optimizer_base<Rule, A>::check_shapes(std::span<tensor_place const> cell,
                                           std::span<tensor_place const> gradients) const {
    require_shapes("optimiser step", "the cell that it was made for, with a parameter", places_, cell);
    require_shapes("optimiser step", "a gradient", cell, gradients);
}

template <class Rule, class A>
template <class S>
void optimizer_base<Rule, A>::check_numbers(std::span<S const> weights, slot_numbers const& kept,
                                            std::span<S const> gradients, bool with_slots) const {
    step_range<slot_count> const range = rule_.template range<A>();
    auto const look = [&](std::size_t first, std::size_t count, auto&& wrong) {
        auto const at = [&](std::string_view what, interval expected, auto const& numbers) {
            if (!expected.contains(numbers.subspan(first, count)))
                wrong(what, expected);
        };
        at("weights", range.weights, weights);
        for (std::size_t i = 0; i < slot_count && with_slots; ++i)
            at(Rule::slot_names[i], range.of_slots[i], kept[i]);
        at("gradients", range.gradients, gradients);
    };
    bool all_fit = true;
    for_each_run(
        [&](std::size_t first, std::size_t count) { look(first, count, [&](auto...) { all_fit = false; }); });
    for (std::size_t i = 0; !all_fit && i < places_.size(); ++i) // which one is it?
        if (!is_constant(i))
            look(places_[i].first, places_[i].count(), [&](std::string_view what, interval expected) {
                refuse("optimiser step, parameter ", places_[i].called, what, expected);
            });
}

template <class Rule, class A>
[[noreturn, gnu::cold]] void optimizer_base<Rule, A>::refuse(std::string_view who, std::string_view parameter,
                                                             std::string_view what, interval expected) {
    fail<std::invalid_argument>(
        {who, parameter, " expects ", what, " from ", expected.low, " to ", expected.high,
         ", but some are beyond or NaN; lower the learning rate or clip the gradients"});
}

} // namespace detail

} // namespace sluice
