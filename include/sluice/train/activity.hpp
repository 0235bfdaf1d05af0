// SPDX-License-Identifier: BSL-1.0
// A penalty on activity: on the outputs of a sequence and on its final state (TensorFlow's
// activity_regularizer, which is applied to every tensor that a cell returns).
#pragma once

#include <sluice/parameter/parameters.hpp>
#include <sluice/train/regularizer.hpp>

namespace sluice {

/// The penalty, and its gradients, to be added to those of the loss before backward.
template <class Outputs, class State>
struct activity_penalty {
    double value = 0;
    Outputs outputs{};
    State state{};

    double loss() const { return value; }
};

/// Of a run: what unroll gives.
template <class Run>
auto penalize_activity(regularizer const& r, Run const& run) {
    r.check();
    activity_penalty<decltype(Run::outputs), decltype(Run::state)> result{.outputs = run.outputs,
                                                                          .state = run.state};
    auto const penalize = [&](auto& gradient) { // which holds the values until it is the gradient
        using scalar = typename std::remove_cvref_t<decltype(gradient)>::value_type;
        auto const values = gradient;
        std::span<scalar const> const from(values.data(), values.size());
        gradient.fill(scalar(0));
        result.value += r.penalty(from);
        r.add_gradient(from, std::span<scalar>(gradient.data(), gradient.size()));
    };
    penalize(result.outputs);
    for_each_parameter(result.state, [&](auto, auto& tensor) { penalize(tensor); });
    return result;
}

} // namespace sluice
