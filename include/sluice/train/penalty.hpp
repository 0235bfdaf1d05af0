// SPDX-License-Identifier: BSL-1.0
// A penalty on the parameters of a cell, of a stack, or of a net on a device: the sum of those of its
// regularised parameters.
//
//   sluice::penalty penalty(cell);
//   penalty.regularize("W_z"_s, {.l2 = 1e-4});
//   loss += penalty.loss(cell);
//   penalty.add_gradient(cell, gradients.parameters);
#pragma once

#include <concepts>
#include <cstddef>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/parameter/arena.hpp>
#include <sluice/parameter/parameters.hpp>
#include <sluice/train/regularizer.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

namespace detail {

/// Parameters that lie where the host cannot read them compute on their numbers themselves.
template <class Parameters>
concept penalised_elsewhere = requires(Parameters const& parameters, Parameters& gradients,
                                       regularizer const& how, tensor_place const& place) {
    { parameters.penalty(how, place) } -> std::same_as<double>;
    parameters.add_penalty(how, place, gradients);
};

template <class Parameters>
std::span<tensor_place const> places_in(Parameters const& parameters) {
    if constexpr (penalised_elsewhere<Parameters>)
        return parameters.places();
    else
        return parameters.array().places();
}

/// Whose map has the names: of a net on a device the net of the host.
template <class Net>
struct names_of_net {
    using type = typename Net::parameters_type;
};
template <class Net>
    requires requires {
        typename Net::net_type::parameters_type;
    }
struct names_of_net<Net> {
    using type = typename Net::net_type::parameters_type;
};

} // namespace detail

template <class Cell>
class penalty {
public:
    using scalar_type = typename Cell::scalar_type;
    using parameters_type = typename Cell::parameters_type;

    /// Of a cell like this one, where nothing is regularised yet.
    explicit penalty(Cell const& cell) {
        for (tensor_place const& place : detail::places_in(cell.parameters()))
            terms_.push_back({.called = place.called, .trained = place.trained});
    }

    /// Regularises one parameter ("W_z"_s, in a stack of layers "layer1/W_z") in place of what it was before;
    /// `{}` takes it away. Throws `std::invalid_argument` for one that the equations fix, as it has no
    /// gradient.
    template <class Key>
    void regularize(Key key, regularizer const& r) {
        r.check();
        here_.require("the penalty");
        term& t = terms_[detail::place_of_parameter<typename detail::names_of_net<Cell>::type>(key, terms_)];
        if (!t.trained && r != regularizer{})
            fail<std::invalid_argument>({"a penalty expects a parameter that is trained, but ", t.called,
                                         " is fixed by its equations; leave it out"});
        t.how = r;
    }

    /// Of a net on a device it waits for it.
    double loss(Cell const& cell) const {
        double sum = 0;
        parameters_type const& parameters = cell.parameters();
        for_each_regularized(parameters, [&](regularizer const& r, tensor_place const& place) {
            if constexpr (detail::penalised_elsewhere<parameters_type>)
                sum += parameters.penalty(r, place);
            else
                sum += r.penalty(place.in(parameters.values()));
        });
        return sum;
    }

    /// gradients += the gradient of loss(cell). Throws `std::invalid_argument` for gradients of other shapes,
    /// and changes nothing then.
    void add_gradient(Cell const& cell, parameters_type& gradients) const {
        static constexpr std::string_view what = "the map of gradients";
        parameters_type const& parameters = cell.parameters();
        if constexpr (detail::penalised_elsewhere<parameters_type>)
            gradients.require(what);
        else
            gradients.array().require(what);
        detail::require_shapes("a penalty", "a gradient", detail::places_in(parameters),
                               detail::places_in(gradients));
        for_each_regularized(parameters, [&](regularizer const& r, tensor_place const& place) {
            if constexpr (detail::penalised_elsewhere<parameters_type>)
                parameters.add_penalty(r, place, gradients);
            else
                r.add_gradient(place.in(parameters.values()), place.in(gradients.values()));
        });
    }

private:
    struct term {
        std::string called{};
        bool trained = true;
        regularizer how{};
    };

    template <class F>
    void for_each_regularized(parameters_type const& parameters, F&& f) const {
        here_.require("the penalty");
        auto const places = detail::places_in(parameters);
        if (places.size() != terms_.size())
            fail<std::invalid_argument>({"a penalty expects the cell that it was made for, with ",
                                         terms_.size(), " parameters, but got one with ", places.size()});
        std::size_t i = 0;
        for (tensor_place const& place : places)
            if (regularizer const& r = terms_[i++].how; r != regularizer{})
                f(r, place);
    }

    std::vector<term> terms_{}; ///< of each parameter
    detail::presence here_{};
};

} // namespace sluice
