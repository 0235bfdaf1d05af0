// SPDX-License-Identifier: BSL-1.0
//
// What the optimisers share. An optimiser is made for one cell and holds, per trainable number, the slots
// that its rule names (a momentum, say) in parameter maps of the cell's own type. A rule is a struct of
// settings with
//
//   double learning_rate
//   static constexpr std::array slots{"m", "v"}                        names in a checkpoint
//   void check<S>() const                          throws std::invalid_argument for a setting out of range,
//                                                  or without its meaning in the cell's numbers S
//   step_range<slots> range<S>() const             the numbers with which no step overflows an S, and after
//                                                  which the slots still lie in their range
//   void operator()(std::int64_t step, std::span<S> w, std::span<S const> g, std::array<S*, slots> s) const
//
// sgd.hpp and adam.hpp are one rule each.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <sluice/core/moved_from.hpp>
#include <sluice/core/shape.hpp>
#include <sluice/parameter/parameters.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

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
        auto const lowest = static_cast<S>(low);
        auto const highest = static_cast<S>(high);
        unsigned outside = 0;
        for (S const number : numbers) { // in this form compilers make SIMD of it
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

/// The fewest digits that read back as the same number.
inline std::string number_text(double number) {
    std::array<char, 32> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

/// A rule that multiplies with at most `factor` times the learning rate, in numbers of type S.
template <class S>
void require_learning_rate(std::string const& rule, double rate, double factor = 1) {
    constexpr double largest = std::numeric_limits<S>::max();
    if (!(rate >= 0 && rate * factor <= largest))
        throw std::invalid_argument("sluice: " + rule + " expects a learning rate from 0 to " +
                                    number_text(largest / factor) + ", but it is " + number_text(rate));
}

/// The factor of a running average must be below 1 as an S, too: at 1 nothing is ever forgotten.
template <class S>
void require_decay(std::string const& rule, std::string const& setting, double factor) {
    if (!(factor >= 0 && factor < 1 && static_cast<S>(factor) < 1))
        throw std::invalid_argument(
            "sluice: " + rule + " expects " + setting +
            " from 0 to below 1, also when rounded to the cell's numbers, but it is " + number_text(factor));
}

} // namespace detail

template <class Cell, class Rule>
class optimizer {
public:
    using scalar_type = typename Cell::scalar_type;
    using parameters_type = typename Cell::parameters_type;
    /// Applied to the values of a parameter after each step, such as a projection onto a ball. It must not
    /// throw.
    using constraint_type = std::function<void(std::span<scalar_type>)>;

    explicit optimizer(Cell const& cell, Rule rule) : rule_(rule) {
        rule_.template check<scalar_type>();
        require_numbers("the cell", cell.parameters());
        for (auto& slot : slots_) {
            slot = cell.parameters();
            for_each_parameter(slot, [](auto, auto& tensor) { tensor.fill(scalar_type{0}); });
        }
    }

    /// One step of every parameter that is not frozen, then its constraint. Everything is checked first, and
    /// what is refused changes nothing: gradients of another shape, a cell of other sizes, numbers that are
    /// not finite or so large that the step could overflow, one step too many, an optimiser that was moved
    /// from.
    void step(Cell& cell, parameters_type const& gradients) {
        check(cell, gradients);
        auto const step = step_ + 1;
        cell.update([&](auto key, std::span<scalar_type> values) {
            if (is_frozen(key))
                return;
            std::array<scalar_type*, slot_count> slots{};
            for (std::size_t i = 0; i < slot_count; ++i)
                slots[i] = slots_[i][key].data();
            rule_(step, values, all_of(gradients[key]), slots);
            if (auto const found = constraints_.find(std::string_view(key.c_str()));
                found != constraints_.end())
                found->second(values);
        });
        step_ = step;
    }

    /// Leaves one parameter, and its slots, as they are.
    template <class Key>
    void freeze(Key key) {
        frozen_.emplace(name_in<parameters_type>(key));
    }
    template <class Key>
    void unfreeze(Key key) {
        frozen_.erase(std::string(name_in<parameters_type>(key)));
    }
    template <class Key>
    bool is_frozen(Key key) const {
        return frozen_.contains(name_in<parameters_type>(key));
    }

    /// Sets the constraint of one parameter; an empty function takes it away.
    template <class Key>
    void constrain(Key key, constraint_type constraint) {
        if (constraint)
            constraints_.insert_or_assign(std::string(name_in<parameters_type>(key)), std::move(constraint));
        else
            constraints_.erase(std::string(name_in<parameters_type>(key)));
    }

    double learning_rate() const { return rule_.learning_rate; }
    void set_learning_rate(double rate) {
        auto rule = rule_;
        rule.learning_rate = rate;
        rule.template check<scalar_type>();
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
            throw std::invalid_argument("sluice: an optimiser expects a step count from 0 to " +
                                        std::to_string(most_steps) + ", but it is " + std::to_string(step));
        step_ = step;
        step_range<slot_count> const range = rule_.template range<scalar_type>();
        visit_slots(*this, [&](std::size_t slot, std::string_view name, auto extents, auto values) {
            f(name, extents, values);
            require_range("an optimiser", "", Rule::slots[slot], range.slots[slot], values);
        });
    }

private:
    static constexpr std::size_t slot_count = Rule::slots.size();

    template <class Tensor>
    static std::span<scalar_type const> all_of(Tensor const& tensor) {
        return {tensor.data(), tensor.size()};
    }

    // Words are put together where something is wrong only: a step that goes well allocates nothing.

    static void require_numbers(char const* whose, parameters_type const& map) {
        for_each_parameter(map, [&](auto key, auto const& tensor) {
            if (!detail::has_numbers(tensor))
                detail::require_numbers("parameter " + std::string(key.c_str()) + " of " + whose, tensor);
        });
    }

    template <class Expected, class Came>
    static void require_shape(char const* called, char const* what, Expected const& expected,
                              Came const& came) {
        if (!detail::shapes_agree(expected.shape(), came.shape()))
            detail::require_same_shape(std::string("optimiser step, parameter ") + called, what,
                                       expected.shape(), came.shape());
    }

    void check(Cell const& cell, parameters_type const& gradients) const {
        here_.require("the optimiser");
        if (step_ >= most_steps)
            throw std::invalid_argument("sluice: an optimiser makes at most " + std::to_string(most_steps) +
                                        " steps, and has made them");
        require_numbers("the cell", cell.parameters());
        require_numbers("the gradients", gradients);
        step_range<slot_count> const range = rule_.template range<scalar_type>();
        for_each_parameter(
            cell.parameters(), gradients, [&](auto key, auto const& values, auto const& gradient) {
                if constexpr (slot_count > 0)
                    require_shape(key.c_str(), "the cell that it was made for, with a parameter",
                                  slots_[0][key], values);
                require_shape(key.c_str(), "a gradient", values, gradient);
                if (is_frozen(key))
                    return;
                constexpr std::string_view who = "optimiser step, parameter ";
                require_range(who, key.c_str(), "weights", range.weights, all_of(values));
                for (std::size_t i = 0; i < slot_count; ++i)
                    require_range(who, key.c_str(), Rule::slots[i], range.slots[i], all_of(slots_[i][key]));
                require_range(who, key.c_str(), "gradients", range.gradients, all_of(gradient));
            });
    }

    static void require_range(std::string_view who, char const* called, std::string_view what, interval range,
                              std::span<scalar_type const> numbers) {
        if (!range.contains(numbers))
            throw std::invalid_argument("sluice: " + std::string(who) + called + " expects " +
                                        std::string(what) + " from " + detail::number_text(range.low) +
                                        " to " + detail::number_text(range.high) +
                                        ", but some are beyond or NaN; lower the learning rate or clip the "
                                        "gradients");
    }

    template <class Self, class F>
    static void visit_slots(Self& self, F&& f) {
        using value = std::conditional_t<std::is_const_v<Self>, scalar_type const, scalar_type>;
        for (std::size_t i = 0; i < slot_count; ++i)
            for_each_parameter(self.slots_[i], [&](auto key, auto& tensor) {
                std::string const name = std::string(Rule::slots[i]) + "/" + key.c_str();
                std::array<std::size_t, std::tuple_size_v<std::decay_t<decltype(tensor.shape())>>> shape{};
                for (std::size_t d = 0; d < shape.size(); ++d)
                    shape[d] = tensor.shape()[d];
                f(i, std::string_view(name), std::span<std::size_t const>(shape),
                  std::span<value>(tensor.data(), tensor.size()));
            });
    }

    Rule rule_;
    std::int64_t step_ = 0;
    std::array<parameters_type, slot_count> slots_{};
    std::set<std::string, std::less<>> frozen_;
    std::map<std::string, constraint_type, std::less<>> constraints_;
    detail::presence here_{};
};

} // namespace sluice
