// SPDX-License-Identifier: BSL-1.0
// A penalty on activity: on the outputs of a sequence and on its final state (TensorFlow's
// activity_regularizer, which is applied to every tensor that a cell returns).
#pragma once

#include <sluice/sequence/unroll.hpp>

namespace sluice {

/// The penalty, and its gradients, to be added to those of the loss before backward.
template <class Cell>
struct activity_penalty {
    typename Cell::scalar_type loss{};
    xt::xtensor<typename Cell::scalar_type, 3> outputs{};
    typename Cell::state_type state{};
};

template <class Cell>
activity_penalty<Cell> penalize_activity(regularizer const& r, unrolled<Cell> const& run) {
    using scalar = typename Cell::scalar_type;
    r.check();
    activity_penalty<Cell> result{.outputs = run.outputs, .state = run.state};
    double loss = 0;
    auto const penalize = [&](auto& gradient) { // which holds the values until it is the gradient
        auto const values = gradient;
        std::span<scalar const> const from(values.data(), values.size());
        gradient.fill(scalar(0));
        loss += r.penalty(from);
        r.add_gradient(from, std::span<scalar>(gradient.data(), gradient.size()));
    };
    penalize(result.outputs);
    for_each_parameter(result.state, [&](auto, auto& tensor) { penalize(tensor); });
    result.loss = static_cast<scalar>(loss);
    return result;
}

} // namespace sluice
