// SPDX-License-Identifier: BSL-1.0
// A cell or a stack of layers by the names of its parameters and states: what both have in common. `Base` is
// net_base, or what adds layers to it; `Parameters` a map of parameters, and `State` one of states.
#pragma once

#include <cstddef>
#include <sluice/cell/net_base.hpp>
#include <sluice/cell/settings.hpp>
#include <sluice/net/starts.hpp>
#include <sluice/net/state_rows.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

template <class Base, class Parameters, class State>
class named_net : public Base {
    using S = typename Base::memory_type::scalar;

public:
    using scalar_type = S;
    using parameters_type = Parameters;
    using state_type = State;

    named_net(named_net const&) = default;
    named_net(named_net&&) noexcept = default;
    /// All of it, or nothing where memory ends.
    named_net& operator=(named_net const& other) { return *this = named_net(other); }
    named_net& operator=(named_net&&) noexcept = default;
    ~named_net() = default;

    /// Trained numbers.
    std::size_t parameter_count() const {
        this->require();
        std::size_t count = 0;
        for (tensor_place const& place : parameters_.array().places())
            count += place.trained ? place.count() : 0;
        return count;
    }

    state_type zero_state(std::size_t batch) const {
        return detail::by_name<state_type>(detail::zero_states_of(this->as_net(), batch));
    }
    /// What a run that is given no state starts from: in every row the parameters that lines initial(state) =
    /// ... name, and zeros in states without such a line.
    state_type initial_state(std::size_t batch) const {
        return detail::by_name<state_type>(start_states(this->as_net(), parameters_.values(), batch));
    }
    /// Throws `std::logic_error` while a fixed parameter has no value, and `std::invalid_argument` unless
    /// every state has its shape.
    void check_state(std::string_view who, std::string_view what, state_type const& state,
                     std::size_t batch) const {
        if constexpr (requires { state.tensors(); })
            this->require_states(who, what, batch, state.tensors());
        else {
            this->require();
            this->check_parameters(who);
            detail::for_each_state(state, [&](std::size_t k, auto const& one) {
                this->require_state(who, what, k, batch, one);
            });
        }
    }

    // Parameters. They change through their net only, so that nothing derived from them can be stale.

    parameters_type const& parameters() const {
        this->require();
        return parameters_;
    }
    /// f(std::span<S>) once, for the numbers of all parameters.
    template <class F>
    void update_values(F&& f) {
        this->require();
        refresh_after const guard{*this};
        this->all_were_given();
        f(parameters_.values());
    }
    /// f(name, shape, values) for every parameter and, with an empty shape, for every setting of every cell:
    /// what checkpoints read and write. Throws `std::invalid_argument` if f gives a setting a number that is
    /// not finite; the setting is then what it was.
    template <class F>
    void visit_tensors(F&& f) const {
        this->require();
        visit_tensors_of(*this, f);
    }
    template <class F>
    void visit_tensors(F&& f) {
        this->require();
        settings_after const guard{*this};
        this->all_were_given();
        visit_tensors_of(*this, f);
    }

protected:
    using Base::Base;

    /// Settings of the cells have changed.
    void take_settings() { this->settings_changed(parameters_.values()); }
    void refresh() { this->parameters_changed(parameters_.values()); }

    parameters_type parameters_{};

private:
    struct refresh_after {
        named_net& of;
        ~refresh_after() { of.refresh(); }
    };
    struct settings_after {
        named_net& of;
        ~settings_after() { of.take_settings(); }
    };

    template <class Self, class F>
    static void visit_tensors_of(Self& self, F&& f) {
        self.for_each_cell([&](auto& cell) {
            std::string called = cell.prefix;
            std::size_t const before = called.size();
            auto const named = [&](std::string_view name) {
                called.resize(before);
                called += name;
                return std::string_view(called);
            };
            for (tensor_place const& place : cell.places)
                f(named(place.called), place.shape(), place.in(self.parameters_.values()));
            for (setting_entry const& entry : self.entries_of(cell).settings) {
                auto& value =
                    cell.settings[static_cast<std::size_t>(&entry - self.entries_of(cell).settings.begin())];
                auto const was = value;
                std::span const one(&value, 1);
                f(named(entry.called.view()), std::span<std::size_t const>(), one);
                if constexpr (!std::is_const_v<Self>)
                    if (auto const now = std::exchange(value, was); now != was) {
                        detail::require_finite(entry.called, now);
                        value = now;
                    }
            }
        });
    }
};

} // namespace sluice
