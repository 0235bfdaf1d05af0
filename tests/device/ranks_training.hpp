// SPDX-License-Identifier: BSL-1.0
// A training that ranks do together, each with a net on its device; the function is that of the host's nets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cudnn.hpp>
#include <sluice/distributed/gradient_sum.hpp>
#include <sluice/train/adam.hpp>
#include <sluice/train/clip.hpp>
#include <sluice/train/mean_squared_error.hpp>
#include <string>
#include <support/tensors.hpp>
#include <vector>

namespace ranks_training {

using pages = sluice::layers<sluice::gru, sluice::dense>;
inline constexpr std::size_t steps_of_sequence = 3, batch = 7, rows = 2;

template <class S, class Policy>
auto make_net() {
    return sluice::stack<pages, S, Policy>({{.input = 3, .units = 5}, {.units = 2}},
                                           {.dropout = 0.2, .dropout_seed = sluice::seed{2}},
                                           sluice::seed{7});
}

/// Of all rows of a step, those of a micro-batch.
template <class S>
auto rows_of(sluice::micro_batch const& part, std::size_t width, std::string const& called) {
    auto const all = support::random_tensor<S, 3>({steps_of_sequence, batch, width}, called);
    return xt::xtensor<S, 3>(
        xt::view(all, xt::all(), xt::range(part.first_row, part.first_row + part.rows), xt::all()));
}

/// Adds the micro-batches of this rank.
template <class Sum, class Net, class Send>
void add_all(Sum& sum, Net const& net, int step, Send send) {
    using S = typename Net::scalar_type;
    for (sluice::micro_batch const& part : sum.mine()) {
        auto const weight = static_cast<double>(part.rows);
        auto const xs = send(rows_of<S>(part, 3, "xs" + std::to_string(step)));
        auto const targets = send(rows_of<S>(part, 2, "ts" + std::to_string(step)));
        auto const run =
            unroll(net, xs, {.draw = static_cast<std::uint64_t>(step), .first_row = part.first_row});
        auto const loss = sluice::mean_squared_error(run.outputs, targets);
        sum.add(weight, loss.loss(),
                backward(net, run, loss.gradient, {.ready = sum.early(weight)}).parameters);
    }
}

/// The mean losses of the steps.
template <class Sum, class Net, class Send>
std::vector<double> train(Sum& sum, Net& net, int steps, Send send) {
    sluice::adam optimizer(net, {.learning_rate = 1e-2});
    auto gradients = net.zero_parameters();
    std::vector<double> losses;
    for (int step = 0; step < steps; ++step) {
        add_all(sum, net, step, send);
        losses.push_back(sum.all_reduce(gradients));
        sluice::clip_by_global_norm(0.5, gradients);
        optimizer.step(net, gradients);
    }
    return losses;
}

/// What a rank has after some steps: its losses, and then its parameters.
template <class S, class All>
std::vector<double> trained(All& by, int steps, sluice::sum_order order = sluice::sum_order::of_tree) {
    auto host = make_net<S, sluice::cudnn::device>();
    sluice::cudnn::resident net(host);
    sluice::gradient_sum sum(by, batch, rows, net);
    sum.set_order(order);
    std::vector<double> found =
        train(sum, net, steps, [](auto const& numbers) { return sluice::cudnn::send(numbers); });
    net.fetch(host);
    auto const values = host.parameters().values();
    found.insert(found.end(), values.begin(), values.end());
    return found;
}

} // namespace ranks_training
