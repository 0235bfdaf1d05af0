// SPDX-License-Identifier: BSL-1.0
// A penalty on the parameters of a cell: the sum of those of its regularised parameters.
//
//   sluice::penalty penalty(cell);
//   penalty.regularize("W_z"_s, {.l2 = 1e-4});
//   loss += penalty.loss(cell);
//   penalty.add_gradient(cell, gradients.parameters);
#pragma once

#include <functional>
#include <map>
#include <sluice/core/moved_from.hpp>
#include <sluice/parameter/parameters.hpp>
#include <sluice/train/regularizer.hpp>
#include <string>
#include <string_view>

namespace sluice {

template <class Cell>
class penalty {
public:
    using scalar_type = typename Cell::scalar_type;
    using parameters_type = typename Cell::parameters_type;

    /// Of a cell like this one, where nothing is regularised yet.
    explicit penalty(Cell const&) {}

    /// Regularises one parameter in place of what it was before; `{}` takes it away.
    template <class Key>
    void regularize(Key key, regularizer const& r) {
        r.check();
        regularizers_.insert_or_assign(std::string(name_in<parameters_type>(key)), r);
    }

    double loss(Cell const& cell) const {
        double sum = 0;
        for_each_regularized(cell, [&](regularizer const& r, auto, std::span<scalar_type const> values) {
            sum += r.penalty(values);
        });
        return sum;
    }

    /// gradients += the gradient of loss(cell)
    void add_gradient(Cell const& cell, parameters_type& gradients) const {
        for_each_regularized(cell, [&](regularizer const& r, auto key, std::span<scalar_type const> values) {
            auto& gradient = gradients[key];
            r.add_gradient(values, std::span<scalar_type>(gradient.data(), gradient.size()));
        });
    }

private:
    template <class F>
    void for_each_regularized(Cell const& cell, F&& f) const {
        here_.require("the penalty");
        for_each_parameter(cell.parameters(), [&](auto key, auto const& tensor) {
            if (auto const found = regularizers_.find(std::string_view(key.c_str()));
                found != regularizers_.end())
                f(found->second, key, std::span<scalar_type const>(tensor.data(), tensor.size()));
        });
    }

    std::map<std::string, regularizer, std::less<>> regularizers_{};
    detail::presence here_{};
};

} // namespace sluice
