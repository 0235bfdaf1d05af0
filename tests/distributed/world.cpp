// SPDX-License-Identifier: BSL-1.0
#include "training.hpp"

#include <algorithm>
#include <checkpoint/support.hpp>
#include <doctest/doctest.h>
#include <sluice/distributed/threads.hpp>
#include <sluice/distributed/world.hpp>

namespace world_test {

using checkpoint_test::contains;

using together::said_by_all;

TEST_CASE("world: all get what each has") {
    sluice::run_ranks(4, [](sluice::transport& by) {
        sluice::world const all(by);
        if (all.from_all(10 * all.rank() + 1) != std::vector<int>{1, 11, 21, 31} || all.size() != 4)
            throw std::runtime_error("other numbers");
    });
}

TEST_CASE("world: a number that is not the same is refused on all ranks, by one sentence") {
    for (std::string const& one : said_by_all([](sluice::transport& by) {
             sluice::world const all(by);
             all.agree("the seed", 7);
             all.agree("the number of rows", all.rank() == 2 ? 100 : 90);
         }))
        CHECK(
            one ==
            "sluice: the number of rows must be the same on all ranks, but rank 0 has 90 and rank 2 has 100; "
            "start all ranks with the same program, options and files");
}

TEST_CASE("world: nets and optimisers become those of a rank") {
    for (int const from : {0, 2})
        sluice::run_ranks(3, [&](sluice::transport& by) {
            sluice::world const all(by);
            auto const named = static_cast<std::uint64_t>(by.rank());
            auto net = together::make_net<float>(named);
            sluice::adam optimizer(net);
            auto gradients = net.zero_parameters();
            for (std::uint64_t step = 0; step <= named; ++step) {
                gradients.values()[1] = static_cast<float>(step);
                optimizer.step(net, gradients);
            }
            auto expected = together::make_net<float>(static_cast<std::uint64_t>(from));
            all.broadcast(from, net, optimizer);
            all.same("the net", net);
            all.same("the optimiser", optimizer);
            bool const has_started = net.parameters().values()[0] == expected.parameters().values()[0];
            if (!has_started || optimizer.steps() != from + 1)
                throw std::runtime_error("not those of the rank");
        });
}

TEST_CASE("world: one bit of one rank is noticed") {
    for (std::string const& one : said_by_all([](sluice::transport& by) {
             sluice::world const all(by);
             auto net = together::make_net<float>();
             all.same("the net", net);
             if (all.rank() == 1)
                 net.update_values(
                     [](std::span<float> values) { values.back() = std::nextafter(values.back(), 2.f); });
             all.same("the net", net);
         }))
        CHECK((contains(one,
                        "the net, its numbers, must be the same on all ranks, but rank 0 has the digest ") &&
               contains(one, " and rank 1 has the digest ")));
}

TEST_CASE("world: a net of other sizes or equations is refused before anything is sent") {
    for (std::string const& one : said_by_all([](sluice::transport& by) {
             sluice::world const all(by);
             sluice::stack<sluice::gru> net({.input = 3, .units = all.rank() == 2 ? 7u : 5u});
             auto const before = net;
             try {
                 all.broadcast(0, net);
             } catch (...) {
                 CHECK(std::ranges::equal(net.parameters().values(), before.parameters().values()));
                 throw;
             }
         }))
        CHECK(contains(one,
                       "what is broadcast, its names, shapes and equations, must be the same on all ranks"));
}

TEST_CASE("world: gradients of all ranks are averaged by their weights") {
    sluice::run_ranks(3, [](sluice::transport& by) {
        sluice::world const all(by);
        auto const net = together::make_net<float>();
        auto gradients = net.zero_parameters();
        std::ranges::fill(gradients.values(), static_cast<float>(by.rank()));
        gradients.values()[1] = 4;
        all.average(gradients, by.rank() + 1);
        bool fits =
            std::abs(gradients.values()[0] - 8.f / 6) < 1e-6f && std::abs(gradients.values()[1] - 4) < 1e-6f;
        all.average(gradients); // the same already
        fits = fits && std::abs(gradients.values().back() - 8.f / 6) < 1e-6f;
        all.same("the average", sluice::random_stream(sluice::seed{sluice::detail::digest_of(
                                    std::as_bytes(std::span(std::as_const(gradients).values())), 0)}));
        all.average(gradients, 0);
        if (!fits || gradients.values()[1] != 0)
            throw std::runtime_error("another average");
        CHECK_THROWS_AS(all.average(gradients, -1), std::invalid_argument);
    });
}

TEST_CASE("world: a rank that is not there is refused") {
    sluice::run_ranks(1, [](sluice::transport& by) {
        auto net = together::make_net<float>();
        for (int const from : {-1, 1})
            CHECK_THROWS_AS(sluice::world(by).broadcast(from, net), std::invalid_argument);
    });
}

} // namespace world_test
