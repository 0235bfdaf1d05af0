// SPDX-License-Identifier: BSL-1.0
// Gradients of nets on devices are summed as those of the host's, with a transport of the host: any number of
// ranks, threads here, has the same bits. tests/nccl has those of NCCL.
#include "ranks_training.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/distributed/alone.hpp>
#include <sluice/distributed/threads.hpp>
#include <sluice/xtensor.hpp>
#include <stdexcept>

namespace device_gradient_sum_test {

using namespace ranks_training;
using sluice::cudnn::resident;

template <class S>
std::vector<double> trained_by(int ranks, sluice::sum_order order = sluice::sum_order::of_tree) {
    std::vector<std::vector<double>> found(static_cast<std::size_t>(ranks));
    sluice::run_ranks(ranks, [&](sluice::transport& by) {
        found[static_cast<std::size_t>(by.rank())] = trained<S>(by, 4, order);
    });
    for (auto const& one : found)
        CHECK(one == found[0]);
    return found[0];
}

TEST_CASE(
    "device gradient sum: any number of ranks trains to the same bits, and nearly to those of the CPU") {
    sluice::alone by;
    auto const one = trained<double>(by, 4);
    for (int const ranks : {2, 3, 5}) { // of 4 micro-batches: one rank of 5 has none
        CAPTURE(ranks);
        CHECK(trained_by<double>(ranks) == one);
    }
    auto net = make_net<double, sluice::xtensor::planned>();
    sluice::gradient_sum sum(by, batch, rows, net);
    std::vector<double> expected = train(sum, net, 4, [](auto const& numbers) { return numbers; });
    expected.insert(expected.end(), net.parameters().values().begin(), net.parameters().values().end());
    REQUIRE(one.size() == expected.size());
    for (std::size_t i = 0; i < one.size(); ++i)
        CHECK(one[i] == doctest::Approx(expected[i]).epsilon(1e-9));
    auto const fast = trained_by<double>(3, sluice::sum_order::of_transport);
    for (std::size_t i = 0; i < one.size(); ++i)
        CHECK(fast[i] == doctest::Approx(one[i]).epsilon(1e-9));
}

TEST_CASE("device gradient sum: weights, of two nets") {
    sluice::alone by;
    resident const net(make_net<float, sluice::cudnn::device>()),
        other(make_net<float, sluice::cudnn::device>());
    sluice::gradient_sum sum(by, 3, 2, net, other);
    auto const filled = [&](float value) {
        auto made = net.zero_parameters();
        auto numbers = sluice::cudnn::fetch(made.values());
        CHECK(numbers(0) == 0);
        numbers.fill(value);
        sluice::cudnn::send(numbers, made.values());
        return made;
    };
    auto a = net.zero_parameters(), b = net.zero_parameters();
    auto const have = [&](float expected_a, float expected_b) {
        for (float const one : sluice::cudnn::fetch(a.values()))
            CHECK(one == expected_a);
        for (float const one : sluice::cudnn::fetch(b.values()))
            CHECK(one == expected_b);
    };
    CHECK(sum.micro_batches() == 2);
    sum.add(1, 4, filled(1), filled(3));
    sum.add(3, 8, filled(5), filled(7));
    CHECK(sum.all_reduce(a, b) == 7);
    have(4, 6);
    sum.add(0, 4, filled(1), filled(3));
    sum.add(0, 8, filled(5), filled(7));
    CHECK(sum.all_reduce(a, b) == 0);
    have(0, 0);
    sum.add(1, 4, filled(1), filled(3)); // forgotten
    sum.start_again();
    sum.add(1, 1, filled(2), filled(2));
    sum.add(1, 3, filled(4), filled(2));
    CHECK(sum.all_reduce(a, b) == 2);
    have(3, 2);
    sluice::gradient_sum none(by, 0, 2, net);
    CHECK(none.mine().empty());
    CHECK(none.all_reduce(a) == 0);
    have(0, 2);
}

TEST_CASE("device gradient sum: what is refused, and that it goes on") {
    sluice::alone by;
    resident const net(make_net<float, sluice::cudnn::device>());
    sluice::gradient_sum sum(by, 2, 1, net);
    auto good = net.zero_parameters(), bad = net.zero_parameters();
    auto numbers = sluice::cudnn::fetch(bad.values());
    numbers(numbers.size() - 1) = -std::numeric_limits<float>::infinity();
    sluice::cudnn::send(numbers, bad.values());
    CHECK_THROWS_WITH_AS(sum.add(-1, 1, good),
                         "sluice: gradient_sum::add expects a finite weight of at least 0, but it is -1",
                         std::invalid_argument);
    CHECK_THROWS_AS((void)sum.early(std::nan("")), std::invalid_argument);
    CHECK_THROWS_AS((void)sum.all_reduce(good), std::logic_error);
    sum.add(1, 1, good);
    sum.add(1, 1, bad);
    CHECK_THROWS_AS(sum.add(1, 1, good), std::logic_error);
    CHECK_THROWS_WITH_AS(
        (void)sum.all_reduce(good),
        "sluice: the loss or a gradient of micro-batch 1, which rank 0 computed, is NaN or infinite, "
        "so that no rank takes a step; lower the learning rate, or look at the rows of that micro-batch",
        sluice::not_finite_error);
    sum.add(1, std::nan(""), good);
    sum.add(1, 1, good);
    CHECK_THROWS_AS((void)sum.all_reduce(good), sluice::not_finite_error);
    sum.add(1, 2, good);
    sum.add(1, 4, good);
    CHECK(sum.all_reduce(good) == 3);
    sluice::stack<pages, float, sluice::cudnn::device> const small({{.input = 3, .units = 4}, {.units = 2}},
                                                                   {}, sluice::seed{7});
    auto const others = resident(small).zero_parameters();
    CHECK_THROWS_AS(sum.add(1, 1, others), std::invalid_argument);
}

TEST_CASE("device gradient sum: a rank with a NaN is named on all") {
    std::vector<std::string> said(2);
    sluice::run_ranks(2, [&](sluice::transport& by) {
        resident const net(make_net<float, sluice::cudnn::device>());
        sluice::gradient_sum sum(by, 4, 2, net);
        auto gradients = net.zero_parameters();
        for (sluice::micro_batch const& part : sum.mine())
            sum.add(1, part.index == 1 ? std::nan("") : 1, gradients);
        try {
            (void)sum.all_reduce(gradients);
        } catch (sluice::not_finite_error const& error) {
            said[static_cast<std::size_t>(by.rank())] = error.what();
        }
    });
    CHECK(said[0].find("micro-batch 1, which rank 1 computed") != std::string::npos);
    CHECK(said[1] == said[0]);
}

} // namespace device_gradient_sum_test
