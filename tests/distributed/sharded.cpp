// SPDX-License-Identifier: BSL-1.0
#include "training.hpp"

#include <checkpoint/support.hpp>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/distributed/saving.hpp>
#include <sluice/distributed/threads.hpp>

namespace sharded_test {

using checkpoint_test::folder;

namespace {

template <class S>
std::vector<double> trained_by(int ranks, int steps) {
    std::vector<double> found;
    sluice::run_ranks(ranks, [&](sluice::transport& by) {
        auto const mine = together::trained<S>(by, steps, true);
        if (by.rank() == 0)
            found = mine;
    });
    return found;
}

} // namespace

TEST_CASE_TEMPLATE("sharded: any number of ranks steps to the same bits, clipped by one norm", S, float,
                   double) {
    auto const one = trained_by<S>(1, 30);
    for (int const ranks : {2, 3, 4, 5})
        CHECK(trained_by<S>(ranks, 30) == one);
}

TEST_CASE("sharded: a step is that of the optimiser of all parameters, to the bit") {
    sluice::run_ranks(3, [](sluice::transport& by) {
        auto net = together::make_net<float>(), other = net;
        sluice::gradient_sum sum(by, together::batch, together::rows, net);
        sluice::adam whole(other, {.learning_rate = 1e-2});
        sluice::sharded parted(by, sluice::adam_options{.learning_rate = 1e-2}, net);
        auto gradients = net.zero_parameters();
        for (int step = 0; step < 5; ++step) {
            together::add_all<float>(sum, net, step);
            sum.reduce_scatter();
            parted.step(sum.slice(), net);
            together::add_all<float>(sum, other, step);
            sum.all_reduce(gradients);
            whole.step(other, gradients);
        }
        for (std::size_t i = 0; i < net.parameters().values().size(); ++i)
            if (net.parameters().values()[i] != other.parameters().values()[i])
                throw std::runtime_error("another step");
        if (parted.steps() != 5)
            throw std::runtime_error("another number of steps");
    });
}

TEST_CASE("sharded: the norm is that of all gradients, and clipping scales to it") {
    for (int const ranks : {1, 2, 3})
        sluice::run_ranks(ranks, [](sluice::transport& by) {
            auto net = together::make_net<double>();
            std::size_t const count = net.parameter_count();
            auto const gradients = support::random_tensor<double, 1>({count}, "g");
            double squares = 0;
            for (double const g : gradients)
                squares += g * g;
            auto const own = by.slice_of(count);
            std::span<double const> const mine(gradients.data() + own.first, own.size());
            sluice::sharded optimizer(by, sluice::sgd_options{.learning_rate = 1}, net);
            auto const before = net;
            double const norm = optimizer.clip_and_step(0.5, mine, net);
            bool fits = std::abs(norm - std::sqrt(squares)) < 1e-12 * norm;
            for (std::size_t i = 0; i < count; ++i) {
                double const moved = before.parameters().values()[i] - net.parameters().values()[i];
                fits = fits && std::abs(moved - gradients(i) * 0.5 / norm) < 1e-12;
            }
            if (!fits)
                throw std::runtime_error("another norm");
        });
}

TEST_CASE("sharded: a checkpoint is read by another number of ranks, and training goes on to the same bits") {
    folder const here;
    std::vector<std::vector<float>> after;
    for (int const ranks : {1, 2, 3, 5})
        sluice::run_ranks(ranks, [&](sluice::transport& by) {
            auto net = together::make_net<float>();
            sluice::gradient_sum sum(by, together::batch, together::rows, net);
            sluice::sharded optimizer(by, sluice::adam_options{.learning_rate = 1e-2}, net);
            auto const learn = [&](int from, int to) {
                for (int step = from; step < to; ++step) {
                    together::add_all<float>(sum, net, step);
                    sum.reduce_scatter();
                    optimizer.step(sum.slice(), net);
                }
            };
            if (ranks == 1) {
                learn(0, 6);
                sluice::save_together(by, here / "m.safetensors", net, optimizer);
            } else {
                sluice::load_together(by, here / "m.safetensors", net, optimizer);
                sluice::save_together(by, here / "again.safetensors", net, optimizer);
            }
            learn(6, 12);
            if (by.rank() == 0)
                after.emplace_back(net.parameters().values().begin(), net.parameters().values().end());
        });
    for (auto const& one : after)
        CHECK(one == after[0]);
    CHECK(checkpoint_test::file_text(here / "again.safetensors") ==
          checkpoint_test::file_text(here / "m.safetensors"));
    // It is the file of a training alone.
    auto net = together::make_net<float>();
    sluice::adam optimizer(net);
    sluice::load(here / "m.safetensors", net, optimizer);
    CHECK(optimizer.steps() == 6);
}

TEST_CASE("sharded: what one rank cannot step, none steps") {
    std::vector<std::string> said(3);
    sluice::run_ranks(3, [&](sluice::transport& by) {
        auto net = together::make_net<float>();
        auto const before = net;
        sluice::sharded optimizer(by, sluice::adam_options{}, net);
        std::vector<float> gradients(by.slice_of(net.parameter_count()).size(), 1.f);
        if (by.rank() == 1)
            gradients.back() = std::numeric_limits<float>::quiet_NaN();
        try {
            optimizer.step(gradients, net);
        } catch (sluice::distributed_error const& error) {
            said[static_cast<std::size_t>(by.rank())] = error.what();
        }
        if (optimizer.steps() != 0 ||
            !std::ranges::equal(net.parameters().values(), before.parameters().values()))
            throw std::runtime_error("something has changed");
        gradients.back() = 1;
        optimizer.step(gradients, net); // and it goes on
        gradients.push_back(1);
        CHECK_THROWS_AS(optimizer.step(gradients, net), std::invalid_argument);
        CHECK_THROWS_AS(optimizer.clip_and_step(0, gradients, net), std::invalid_argument);
    });
    for (std::string const& one : said)
        CHECK(
            checkpoint_test::contains(one, "a step of the optimiser could overflow in the slice of rank 1"));
}

} // namespace sharded_test
