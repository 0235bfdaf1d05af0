// SPDX-License-Identifier: BSL-1.0
// A penalty on the parameters of a cell: the sum of those of its regularised parameters.
//
//   sluice::penalty penalty(cell);
//   penalty.regularize("W_z"_s, {.l2 = 1e-4});
//   loss += penalty.loss(cell);
//   penalty.add_gradient(cell, gradients.parameters);
#pragma once

#include <cstddef>
#include <sluice/core/fail.hpp>
#include <sluice/core/moved_from.hpp>
#include <sluice/parameter/parameters.hpp>
#include <sluice/train/regularizer.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice {

template <class Cell>
class penalty {
public:
    using scalar_type = typename Cell::scalar_type;
    using parameters_type = typename Cell::parameters_type;

    /// Of a cell like this one, where nothing is regularised yet.
    explicit penalty(Cell const& cell) {
        for (tensor_place const& place : cell.parameters().array().places())
            terms_.push_back({.called = place.called, .trained = place.trained});
    }

    /// Regularises one parameter ("W_z"_s, in a stack of layers "layer1/W_z") in place of what it was before;
    /// `{}` takes it away. Throws `std::invalid_argument` for one that the equations fix, as it has no
    /// gradient.
    template <class Key>
    void regularize(Key key, regularizer const& r) {
        r.check();
        here_.require("the penalty");
        term& t = terms_[detail::place_of_parameter<parameters_type>(key, terms_)];
        if (!t.trained && r != regularizer{})
            fail<std::invalid_argument>({"a penalty expects a parameter that is trained, but ", t.called,
                                         " is fixed by its equations; leave it out"});
        t.how = r;
    }

    double loss(Cell const& cell) const {
        double sum = 0;
        for_each_regularized(cell, [&](regularizer const& r, tensor_place const&,
                                       std::span<scalar_type const> values) { sum += r.penalty(values); });
        return sum;
    }

    /// gradients += the gradient of loss(cell). Throws `std::invalid_argument` for gradients of other shapes,
    /// and changes nothing then.
    void add_gradient(Cell const& cell, parameters_type& gradients) const {
        gradients.array().require("the map of gradients");
        cell.parameters().array().require_shapes("a penalty", "a gradient", gradients.array());
        for_each_regularized(
            cell, [&](regularizer const& r, tensor_place const& place, std::span<scalar_type const> values) {
                r.add_gradient(values, place.in(gradients.values()));
            });
    }

private:
    struct term {
        std::string called{};
        bool trained = true;
        regularizer how{};
    };

    template <class F>
    void for_each_regularized(Cell const& cell, F&& f) const {
        here_.require("the penalty");
        auto const& parameters = cell.parameters();
        if (parameters.array().places().size() != terms_.size())
            fail<std::invalid_argument>({"a penalty expects the cell that it was made for, with ",
                                         terms_.size(), " parameters, but got one with ",
                                         parameters.array().places().size()});
        std::size_t i = 0;
        for (tensor_place const& place : parameters.array().places())
            if (regularizer const& r = terms_[i++].how; r != regularizer{})
                f(r, place, place.in(parameters.values()));
    }

    std::vector<term> terms_{}; ///< of each parameter
    detail::presence here_{};
};

} // namespace sluice
