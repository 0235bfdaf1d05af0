// SPDX-License-Identifier: BSL-1.0
// A training that ranks do together, for tests on any transport: two layers of cells, dropout between them,
// masks of the loss, another draw and other rows for each step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/distributed/gradient_sum.hpp>
#include <sluice/distributed/sharded.hpp>
#include <sluice/distributed/threads.hpp>
#include <sluice/train/adam.hpp>
#include <sluice/train/clip.hpp>
#include <sluice/train/mean_squared_error.hpp>
#include <sluice/xtensor.hpp>
#include <string>
#include <support/tensors.hpp>
#include <vector>

namespace together {

using pages = sluice::layers<sluice::gru, sluice::dense>;
template <class S>
using net_of = sluice::stack<pages, S>;

inline constexpr std::size_t steps_of_sequence = 4, batch = 11, rows = 3;

template <class S>
net_of<S> make_net(std::uint64_t seed = 7) {
    return net_of<S>({{.input = 3, .units = 5}, {.units = 2}},
                     {.dropout = 0.2, .dropout_seed = sluice::seed{2}}, sluice::seed{seed});
}

template <class S>
struct lesson {
    xt::xtensor<S, 3> xs, targets;
    xt::xtensor<S, 2> weights; // of the rows of all steps, which are the mask of a loss
};
/// Of rows of the whole batch of a step, the ones of a part.
template <class S>
lesson<S> lesson_of(int step, sluice::micro_batch const& part) {
    auto const name = std::to_string(step);
    auto const cut = [&](auto const& all) {
        return xt::eval(xt::view(all, xt::all(), xt::range(part.first_row, part.first_row + part.rows)));
    };
    lesson<S> made{cut(support::random_tensor<S, 3>({steps_of_sequence, batch, 3}, "xs" + name)),
                   cut(support::random_tensor<S, 3>({steps_of_sequence, batch, 2}, "ts" + name)),
                   cut(xt::xtensor<S, 2>(
                       xt::abs(support::random_tensor<S, 2>({steps_of_sequence, batch}, "ws" + name))))};
    for (std::size_t t = 0; t < steps_of_sequence; ++t)
        for (std::size_t b = 0; b < part.rows; ++b)
            if ((part.first_row + b) % 4 == 3 || t > (part.first_row + b) % 5)
                made.weights(t, b) = 0;
    return made;
}

/// Adds the micro-batches of this rank; `early`: while they are computed.
template <class S, class Sum>
void add_all(Sum& sum, net_of<S> const& net, int step, bool early = false) {
    for (sluice::micro_batch const& part : sum.mine()) {
        auto const [xs, targets, weights] = lesson_of<S>(step, part);
        auto const run =
            unroll(net, xs, {.draw = static_cast<std::uint64_t>(step), .first_row = part.first_row});
        auto const loss = sluice::mean_squared_error(run.outputs, targets, weights);
        double const weight = xt::sum(weights)();
        sluice::backward_options<S> options;
        if (early)
            options.ready = sum.early(weight);
        sum.add(weight, loss.value, backward(net, run, loss.gradient, options).parameters);
    }
}

/// The parameters after some steps, and the sum of the losses.
template <class S>
std::vector<double> trained(sluice::transport& by, int steps, bool is_sharded,
                            sluice::overlap_options const* overlap = nullptr) {
    auto net = make_net<S>(by.rank() == 0 ? 7 : 8);
    sluice::world const all(by);
    all.broadcast(0, net);
    sluice::gradient_sum sum(by, overlap ? *overlap : sluice::overlap_options(), batch, rows, net);
    sluice::adam optimizer(net, {.learning_rate = 1e-2});
    sluice::sharded parted(by, sluice::adam_options{.learning_rate = 1e-2}, net);
    auto gradients = net.zero_parameters();
    double losses = 0;
    for (int step = 0; step < steps; ++step) {
        add_all<S>(sum, net, step, overlap != nullptr);
        if (is_sharded) {
            losses += sum.reduce_scatter();
            parted.clip_and_step(0.05, sum.slice(), net);
        } else {
            losses += sum.all_reduce(gradients);
            optimizer.step(net, gradients);
        }
    }
    all.same("the net", net);
    std::vector<double> found(net.parameters().values().begin(), net.parameters().values().end());
    found.push_back(losses);
    return found;
}

/// What each of three ranks says.
template <class F>
std::vector<std::string> said_by_all(F f) {
    std::vector<std::string> said(3);
    sluice::run_ranks(3, [&](sluice::transport& by) {
        try {
            f(by);
        } catch (std::exception const& error) {
            said[static_cast<std::size_t>(by.rank())] = error.what();
        }
    });
    return said;
}

} // namespace together
