// SPDX-License-Identifier: BSL-1.0
//
// What the optimisers share. An optimiser is made for one cell and holds, per trainable number, the slots
// that its rule names (a momentum, say), each in an array like that of the cell's parameters. A step is one pass over
// these arrays, or a few where parameters in between are frozen.
//
// Weights and gradients are of the cell's scalar S; slots, and all that is computed, are of its arithmetic A
// (core/arithmetic.hpp). A weight is rounded once in a step, and no finer copy of it is kept: where S is narrow, a
// step of less than half of its last digit is lost. A rule is a struct of settings with
//
//   double learning_rate
//   static constexpr std::array slots{"m", "v"}                        names in a checkpoint
//   void check<A>() const                          throws std::invalid_argument for a setting out of range,
//                                                  or without its meaning in the numbers A
//   step_range<slots> range<A>() const             the numbers with which no step overflows an A, and after
//                                                  which the slots still lie in their range
//   void operator()(std::int64_t step, std::span<S> w, std::span<S const> g, std::array<A*, slots> s) const
//
// sgd.hpp and adam.hpp are one rule each.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/parameter/parameters.hpp>
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

/// The numbers from `low` to `high`; NaN is none of them.
struct interval {
    double low = 0;
    double high = 0;

    template <class S>
    bool contains(std::span<S const> numbers) const {
        auto const lowest = static_cast<arithmetic_of<S>>(low);
        auto const highest = static_cast<arithmetic_of<S>>(high);
        unsigned outside = 0;
        for (S const& kept : numbers) { // in this form compilers make SIMD of it
            auto const number = widened(kept);
            outside |= number >= lowest ? 0u : 1u;
            outside |= number <= highest ? 0u : 1u;
        }
        return outside == 0;
    }
};

constexpr interval symmetric(double high) {
    return {-high, high};
}

template <std::size_t Slots>
struct step_range {
    interval weights;
    interval gradients;
    std::array<interval, Slots> slots;
};

namespace detail {

/// A rule that multiplies with at most `factor` times the learning rate, in numbers of type S.
template <class S>
void require_learning_rate(std::string_view rule, double rate, double factor = 1) {
    constexpr double largest = std::numeric_limits<S>::max();
    if (!(rate >= 0 && rate * factor <= largest))
        fail<std::invalid_argument>(
            {rule, " expects a learning rate from 0 to ", largest / factor, ", but it is ", rate});
}

/// The factor of a running average must be below 1 as an S, too: at 1 nothing is ever forgotten.
template <class S>
void require_decay(std::string_view rule, std::string_view setting, double factor) {
    if (!(factor >= 0 && factor < 1 && static_cast<S>(factor) < 1))
        fail<std::invalid_argument>(
            {rule, " expects ", setting,
             " from 0 to below 1, also when rounded to the cell's numbers, but it is ", factor});
}

/// A weight behind a step, as one to keep: of those that an S cannot hold the last that it can.
template <class S>
S rounded_weight(arithmetic_of<S> computed) {
    if constexpr (is_own_arithmetic<S>)
        return computed;
    else {
        auto const largest = static_cast<arithmetic_of<S>>(arithmetic<S>::largest);
        return rounded<S>(std::clamp(computed, -largest, largest));
    }
}

} // namespace detail

template <class Cell, class Rule>
class optimizer {
public:
    using scalar_type = typename Cell::scalar_type;
    using number_type = arithmetic_of<scalar_type>;
    using parameters_type = typename Cell::parameters_type;
    /// Applied to the values of a parameter after each step, such as a projection onto a ball. It must not
    /// throw.
    using constraint_type = std::function<void(std::span<scalar_type>)>;

    explicit optimizer(Cell const& cell, Rule rule) : rule_(rule) {
        rule_.template check<number_type>();
        auto const& parameters = cell.parameters();
        parameters.array().require(whose_parameters);
        auto const places = parameters.array().places();
        for (auto& slot : slots_)
            slot = arena<number_type>({places.begin(), places.end()});
        for (tensor_place const& place : places)
            treatments_.push_back({.called = place.called, .trained = place.trained});
    }

    /// One step of every parameter that is not frozen, then its constraint. Everything is checked first, and
    /// what is refused changes nothing: gradients of another shape, a cell of other sizes, numbers that are
    /// not finite or so large that the step could overflow, one step too many, an optimiser that was moved
    /// from.
    void step(Cell& cell, parameters_type const& gradients) {
        check(cell, gradients);
        auto const step = step_ + 1;
        auto const places = gradients.array().places();
        cell.update_values([&](std::span<scalar_type> values) {
            for_each_run(places, [&](std::size_t first, std::size_t count) {
                std::array<number_type*, slot_count> slots{};
                for (std::size_t i = 0; i < slot_count; ++i)
                    slots[i] = slots_[i].values().data() + first;
                rule_(step, values.subspan(first, count), gradients.values().subspan(first, count), slots);
            });
            for (std::size_t i = 0; i < places.size(); ++i)
                if (treatment const& t = treatments_[i]; t.constraint && !t.is_frozen())
                    t.constraint(places[i].in(values));
        });
        step_ = step;
    }

    // The key of a parameter is "W_r"_s in a cell, and "layer1/W_r" in a stack of layers.

    /// Leaves one parameter, and its slots, as they are. One that the equations fix is so from the start, and
    /// `unfreeze` throws `std::invalid_argument` for it.
    template <class Key>
    void freeze(Key key) {
        treatments_[place(key)].frozen = true;
    }
    template <class Key>
    void unfreeze(Key key) {
        treatment& t = treatments_[place(key)];
        if (!t.trained)
            fail<std::invalid_argument>(
                {"parameter ", t.called, " is fixed by its equations, and never trained"});
        t.frozen = false;
    }
    template <class Key>
    bool is_frozen(Key key) const {
        return treatments_[place(key)].is_frozen();
    }

    /// Sets the constraint of one parameter; an empty function takes it away.
    template <class Key>
    void constrain(Key key, constraint_type constraint) {
        treatments_[place(key)].constraint = std::move(constraint);
    }

    double learning_rate() const { return rule_.learning_rate; }
    void set_learning_rate(double rate) {
        auto rule = rule_;
        rule.learning_rate = rate;
        rule.template check<number_type>();
        rule_ = rule;
    }

    Rule const& settings() const { return rule_; }
    std::int64_t steps() const { return step_; }

    /// Storable: "step" [1], then every slot of every parameter, such as "m/W_r". Settings, constraints
    /// and what is frozen are the program's, not stored.
    template <class F>
    void visit_tensors(F&& f) const {
        here_.require("the optimiser");
        constexpr std::array<std::size_t, 1> shape{1};
        f(std::string_view("step"), std::span<std::size_t const>(shape),
          std::span<std::int64_t const>(&step_, 1));
        visit_slots(*this, [&](std::size_t, auto... tensor) { f(tensor...); });
    }
    template <class F>
    void visit_tensors(F&& f) {
        here_.require("the optimiser");
        constexpr std::array<std::size_t, 1> shape{1};
        auto step = step_;
        f(std::string_view("step"), std::span<std::size_t const>(shape), std::span<std::int64_t>(&step, 1));
        if (step < 0 || step > most_steps)
            fail<std::invalid_argument>(
                {"an optimiser expects a step count from 0 to ", most_steps, ", but it is ", step});
        step_ = step;
        step_range<slot_count> const range = rule_.template range<number_type>();
        visit_slots(*this, [&](std::size_t slot, std::string_view name, auto extents, auto values) {
            f(name, extents, values);
            if (!range.slots[slot].contains(std::span<number_type const>(values)))
                refuse("an optimiser", "", Rule::slots[slot], range.slots[slot]);
        });
    }

private:
    static constexpr std::size_t slot_count = Rule::slots.size();
    static constexpr char const* whose_parameters = "the cell's map of parameters";

    /// What is said about one parameter.
    struct treatment {
        std::string called{};
        bool trained = true;
        bool frozen = false;
        constraint_type constraint{};

        bool is_frozen() const { return frozen || !trained; }
    };

    template <class Key>
    std::size_t place(Key const& key) const {
        here_.require("the optimiser");
        return detail::place_of_parameter<parameters_type>(key, treatments_);
    }

    /// f(first, count) for every run of numbers that are not frozen: a single one where nothing is.
    template <class F>
    void for_each_run(std::span<tensor_place const> places, F&& f) const {
        std::size_t first = 0, end = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (treatments_[i].is_frozen()) {
                if (end > first)
                    f(first, end - first);
                first = places[i].first + places[i].count();
            }
            end = places[i].first + places[i].count();
        }
        if (end > first)
            f(first, end - first);
    }

    // Words are put together where something is wrong only: a step that goes well allocates nothing.

    void check(Cell const& cell, parameters_type const& gradients) const {
        here_.require("the optimiser");
        if (step_ >= most_steps)
            fail<std::invalid_argument>(
                {"an optimiser makes at most ", most_steps, " steps, and has made them"});
        parameters_type const& parameters = cell.parameters();
        parameters.array().require(whose_parameters);
        gradients.array().require("the map of gradients");
        if constexpr (slot_count > 0)
            slots_[0].require_shapes("optimiser step", "the cell that it was made for, with a parameter",
                                     parameters.array());
        else if (treatments_.size() != parameters.array().places().size())
            fail<std::invalid_argument>({"optimiser step expects the cell that it was made for, with ",
                                         treatments_.size(), " parameters, but got one with ",
                                         parameters.array().places().size()});
        parameters.array().require_shapes("optimiser step", "a gradient", gradients.array());

        step_range<slot_count> const range = rule_.template range<number_type>();
        auto const look = [&](std::size_t first, std::size_t count, auto&& wrong) {
            auto const at = [&](std::string_view what, interval expected, auto const& numbers) {
                if (!expected.contains(numbers.subspan(first, count)))
                    wrong(what, expected);
            };
            at("weights", range.weights, parameters.values());
            for (std::size_t i = 0; i < slot_count; ++i)
                at(Rule::slots[i], range.slots[i], slots_[i].values());
            at("gradients", range.gradients, gradients.values());
        };
        auto const places = gradients.array().places();
        bool all_fit = true;
        for_each_run(places, [&](std::size_t first, std::size_t count) {
            look(first, count, [&](auto...) { all_fit = false; });
        });
        for (std::size_t i = 0; !all_fit && i < places.size(); ++i) // which one is it?
            if (!treatments_[i].is_frozen())
                look(places[i].first, places[i].count(), [&](std::string_view what, interval expected) {
                    refuse("optimiser step, parameter ", places[i].called, what, expected);
                });
    }

    [[noreturn]] static void refuse(std::string_view who, std::string_view parameter, std::string_view what,
                                    interval expected) {
        fail<std::invalid_argument>(
            {who, parameter, " expects ", what, " from ", expected.low, " to ", expected.high,
             ", but some are beyond or NaN; lower the learning rate or clip the gradients"});
    }

    template <class Self, class F>
    static void visit_slots(Self& self, F&& f) {
        for (std::size_t i = 0; i < slot_count; ++i)
            for (tensor_place const& at : self.slots_[i].places()) {
                std::string const called = std::string(Rule::slots[i]) + "/" + at.called;
                f(i, std::string_view(called), at.shape(), at.in(self.slots_[i].values()));
            }
    }

    Rule rule_;
    std::int64_t step_ = 0;
    std::array<arena<number_type>, slot_count> slots_{};
    std::vector<treatment> treatments_{}; ///< of each parameter
    detail::presence here_{};
};

} // namespace sluice
