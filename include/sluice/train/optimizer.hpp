// SPDX-License-Identifier: BSL-1.0
//
// What the optimisers share. An optimiser is made for one cell and holds, per trainable number, the slots
// that its rule names (a momentum, say) in parameter maps of the cell's own type. A rule is a struct of
// settings with
//
//   double learning_rate
//   static constexpr std::array slots{"m", "v"}                       names in a checkpoint
//   void check() const                                                 throws std::invalid_argument
//   void operator()(std::int64_t step, std::span<S> w, std::span<S const> g, std::array<S*, slots> s) const
//
// sgd.hpp and adam.hpp are one rule each.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <sluice/core/shape.hpp>
#include <sluice/parameter/parameters.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace sluice {

template <class Cell, class Rule>
class optimizer {
public:
    using scalar_type = typename Cell::scalar_type;
    using parameters_type = typename Cell::parameters_type;
    /// Applied to the values of a parameter after each step, such as a projection onto a ball. It must not
    /// throw.
    using constraint_type = std::function<void(std::span<scalar_type>)>;

    explicit optimizer(Cell const& cell, Rule rule) : rule_(rule) {
        rule_.check();
        for (auto& slot : slots_) {
            slot = cell.parameters();
            for_each_parameter(slot, [](auto, auto& tensor) { tensor.fill(scalar_type{0}); });
        }
    }

    /// One step of every trainable parameter, then its constraint. Everything is checked first: gradients of
    /// another shape, gradients that are not finite and a cell of other sizes are refused and change nothing.
    void step(Cell& cell, parameters_type const& gradients) {
        check(cell, gradients);
        ++step_;
        cell.update([&](auto key, std::span<scalar_type> values) {
            if (!cell.trainable(key))
                return;
            auto const& gradient = gradients[key];
            std::array<scalar_type*, slot_count> slots{};
            for (std::size_t i = 0; i < slot_count; ++i)
                slots[i] = slots_[i][key].data();
            rule_(step_, values, std::span<scalar_type const>(gradient.data(), gradient.size()), slots);
            if (auto const found = constraints_.find(std::string_view(key.c_str()));
                found != constraints_.end())
                found->second(values);
        });
    }

    /// Sets the constraint of one parameter; an empty function takes it away.
    template <class Key>
    void constrain(Key key, constraint_type constraint) {
        static_assert(
            requires(parameters_type const& map) { map[key]; }, "sluice: the cell has no such parameter");
        if (constraint)
            constraints_.insert_or_assign(key.c_str(), std::move(constraint));
        else
            constraints_.erase(key.c_str());
    }

    double learning_rate() const { return rule_.learning_rate; }
    void set_learning_rate(double rate) {
        auto rule = rule_;
        rule.learning_rate = rate;
        rule.check();
        rule_ = rule;
    }

    Rule const& settings() const { return rule_; }
    std::int64_t steps() const { return step_; }

    /// Storable: "step" [1], then every slot of every parameter, such as "m/W_r". Settings and constraints
    /// are the program's, not stored.
    template <class F>
    void visit_tensors(F&& f) const {
        constexpr std::array<std::size_t, 1> shape{1};
        f(std::string_view("step"), std::span<std::size_t const>(shape),
          std::span<std::int64_t const>(&step_, 1));
        visit_slots(*this, f);
    }
    template <class F>
    void visit_tensors(F&& f) {
        constexpr std::array<std::size_t, 1> shape{1};
        auto step = step_;
        f(std::string_view("step"), std::span<std::size_t const>(shape), std::span<std::int64_t>(&step, 1));
        if (step < 0)
            throw std::invalid_argument(
                "sluice: an optimiser expects a step count of at least 0, but it is " + std::to_string(step));
        step_ = step;
        visit_slots(*this, f);
    }

private:
    static constexpr std::size_t slot_count = Rule::slots.size();

    void check(Cell const& cell, parameters_type const& gradients) const {
        for_each_parameter(
            cell.parameters(), gradients, [&](auto key, auto const& values, auto const& gradient) {
                std::string const who = std::string("optimiser step, parameter ") + key.c_str();
                if constexpr (slot_count > 0)
                    detail::require_same_shape(who, "the cell that it was made for, with a parameter",
                                               slots_[0][key].shape(), values.shape());
                detail::require_same_shape(who, "a gradient", values.shape(), gradient.shape());
                bool finite = true;
                for (scalar_type const g : gradient)
                    finite &= std::abs(g) <= std::numeric_limits<scalar_type>::max();
                if (!finite)
                    throw std::invalid_argument("sluice: " + who +
                                                " expects a finite gradient, but it holds NaN or infinity; "
                                                "lower the learning rate or clip the gradients");
            });
    }

    template <class Self, class F>
    static void visit_slots(Self& self, F& f) {
        using value = std::conditional_t<std::is_const_v<Self>, scalar_type const, scalar_type>;
        for (std::size_t i = 0; i < slot_count; ++i)
            for_each_parameter(self.slots_[i], [&](auto key, auto& tensor) {
                std::string const name = std::string(Rule::slots[i]) + "/" + key.c_str();
                std::array<std::size_t, std::tuple_size_v<std::decay_t<decltype(tensor.shape())>>> shape{};
                for (std::size_t d = 0; d < shape.size(); ++d)
                    shape[d] = tensor.shape()[d];
                f(std::string_view(name), std::span<std::size_t const>(shape),
                  std::span<value>(tensor.data(), tensor.size()));
            });
    }

    Rule rule_;
    std::int64_t step_ = 0;
    std::array<parameters_type, slot_count> slots_{};
    std::map<std::string, constraint_type, std::less<>> constraints_;
};

} // namespace sluice
