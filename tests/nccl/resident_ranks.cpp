// SPDX-License-Identifier: BSL-1.0
// Nets on devices are trained to the same bits by any number of ranks, of which each has a device.
#include "on_ranks.hpp"

#include <device/ranks_training.hpp>
#include <doctest/doctest.h>
#include <sluice/distributed/alone.hpp>
#include <sluice/distributed/world.hpp>
#include <span>

namespace resident_ranks_test {

template <class S>
std::vector<double> trained_by(int ranks, sluice::sum_order order = sluice::sum_order::of_tree) {
    std::vector<double> found;
    on_ranks::run(ranks, [&](sluice::nccl::transport& by) {
        auto const mine = ranks_training::trained<S>(by, 20, order);
        std::vector<double> first = mine;
        by.words().broadcast(std::as_writable_bytes(std::span(first)), 0);
        conformance::require(mine == first, by.words(), "it has become another net than that of rank 0");
        if (by.rank() == 0)
            found = mine;
    });
    return found;
}

TEST_CASE_TEMPLATE("resident ranks: 20 steps, of 1 to 3 ranks, are the same to the bit", S, float, double) {
    sluice::alone words;
    on_ranks::choose_device(0);
    auto const through_host = ranks_training::trained<S>(words, 20);
    for (int const ranks : {1, 2, 3})
        CHECK(trained_by<S>(ranks) == through_host);
    auto const fast = trained_by<S>(3, sluice::sum_order::of_transport);
    for (std::size_t i = 0; i < fast.size(); ++i)
        CHECK(fast[i] == doctest::Approx(through_host[i]).epsilon(std::is_same_v<S, float> ? 1e-3 : 1e-9));
}

TEST_CASE("resident ranks: nets on devices become that of rank 0, and are compared") {
    CHECK_NOTHROW(on_ranks::run(3, [](sluice::nccl::transport& by) {
        auto host = ranks_training::make_net<float, sluice::cudnn::device>();
        auto const bias = by.rank() == 0 ? 0.5f : 0.25f;
        host.update_values([&](std::span<float> all) { all[0] = bias; });
        sluice::cudnn::resident net(host);
        sluice::adam optimizer(net, {.learning_rate = 1e-2});
        sluice::world const all(by.words());
        all.broadcast(0, net, optimizer);
        all.same("the net", net);
        net.fetch(host);
        conformance::require(host.parameters().values()[0] == 0.5f, by.words(), "it is another net");
    }));
}

} // namespace resident_ranks_test
