// SPDX-License-Identifier: BSL-1.0
// Ranks that are threads do what every transport has to do, and an exception of one ends all.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <distributed/conformance.hpp>
#include <distributed/faults.hpp>
#include <doctest/doctest.h>
#include <exception>
#include <new>
#include <sluice/distributed/exchange.hpp>
#include <sluice/distributed/threads.hpp>
#include <sluice/distributed/transport.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace threads_test {

using sluice::run_ranks;
using sluice::transport;

TEST_CASE("threads: they do what every transport does") {
    for (int ranks = 1; ranks <= 5; ++ranks)
        for (conformance::check const& check : conformance::checks) {
            CAPTURE(ranks);
            CAPTURE(check.name);
            CHECK_NOTHROW(run_ranks(ranks, check.run));
        }
}

TEST_CASE("threads: faults are sentences on all ranks") {
    for (int ranks = 2; ranks <= 4; ++ranks)
        for (conformance::check const& check : conformance::faults) {
            CAPTURE(ranks);
            CAPTURE(check.name);
            CHECK_NOTHROW(run_ranks(ranks, check.run, {.patience = conformance::patience}));
        }
}

TEST_CASE("threads: each rank has its number, and a name") {
    std::array<std::atomic<int>, 3> seen{};
    run_ranks(3, [&](transport& all) {
        ++seen.at(static_cast<std::size_t>(all.rank()));
        if (all.size() != 3 || all.name() != "threads")
            throw std::logic_error("another transport");
    });
    for (auto const& times : seen)
        CHECK(times == 1);
}

// What run_ranks throws, and what is nested in it.
struct ended {
    std::string words;
    std::string nested;
};
template <class F>
ended how_it_ends(int ranks, F&& f) {
    ended how;
    try {
        run_ranks(ranks, f, {.patience = std::chrono::seconds(20)});
    } catch (sluice::distributed_error const& error) {
        how.words = error.what();
        try {
            std::rethrow_if_nested(error);
        } catch (std::exception const& nested) {
            how.nested = nested.what();
        } catch (int) {
            how.nested = "a number";
        }
    }
    return how;
}

void add(transport& all, std::size_t count) {
    std::vector<float> numbers(count, 1.0f);
    all.fast_sum(std::span(numbers));
}

TEST_CASE("threads: an exception of one rank ends all, and is thrown") {
    for (std::size_t calls : {0u, 1u, 5u}) {
        std::atomic<int> told = 0;
        auto const how = how_it_ends(4, [&](transport& all) {
            for (std::size_t k = 0; k < calls; ++k)
                add(all, 10);
            if (all.rank() == 2)
                throw std::range_error("the rope is too short");
            try {
                add(all, 10);
            } catch (sluice::distributed_error const& error) {
                std::string const text = error.what();
                told += text.find("rank 2 of 4 left after") != text.npos &&
                                text.find("the rope is too short") != text.npos
                            ? 1
                            : 0;
                throw;
            }
        });
        CHECK(how.words == "sluice: rank 2 of 4 ended with an error: the rope is too short");
        CHECK(how.nested == "the rope is too short");
        CHECK(told == 3);
    }
}

TEST_CASE("threads: an exception between the halves of a sum, and what is no std::exception") {
    auto const how = how_it_ends(3, [](transport& all) {
        sluice::sum_tree const tree{5, 3};
        std::vector<float> const nodes(tree.count_nodes(all.rank()) * 1000, 1.0f);
        std::vector<float> sum(1000);
        auto begun = all.start_all_reduce(tree, nodes, std::span(sum));
        auto second = all.start_all_reduce(tree, nodes, std::span(sum));
        if (all.rank() == 1)
            throw 7;
        second.finish();
        begun.finish();
    });
    CHECK(how.words.find("sluice: rank 1 of 3 ended with an error: it threw something") == 0);
    CHECK(how.nested == "a number");
}

TEST_CASE("threads: a rank that makes fewer calls ends the others with a sentence, and one that made all "
          "does not") {
    auto const how = how_it_ends(3, [](transport& all) {
        for (int k = 0; k < (all.rank() == 0 ? 2 : 3); ++k)
            add(all, 3);
    });
    CHECK(how.words.find(
              "sluice: rank 0 of 3 left after 4 calls: its transport has ended, and all ranks have to make "
              "equally many calls") == 0);
    CHECK(how.nested.empty());
    CHECK_NOTHROW(run_ranks(3, [](transport& all) {
        add(all, 3);
        if (all.rank() == 2)
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }));
}

// Memory is its rank's own again after each call: ranks that are slow do not see what the next call writes.
TEST_CASE("threads: memory may be used again after each call") {
    CHECK_NOTHROW(run_ranks(4, [](transport& all) {
        sluice::sum_tree const tree{4, 4};
        std::vector<float> node(3000);
        std::vector<float> sum(3000);
        for (int round = 0; round < 40; ++round) {
            std::ranges::fill(node, static_cast<float>(round));
            all.all_reduce(tree, node, std::span(sum));
            std::ranges::fill(node, -1.0f);
            for (float number : sum)
                conformance::require(number == static_cast<float>(4 * round), all, "round");
        }
    }));
}

// A rank fails while others read from it: it waits until they have read, as its memory goes.
TEST_CASE("threads: memory of a rank that fails is read no more") {
    for (int round = 0; round < 20; ++round)
        CHECK_NOTHROW(run_ranks(4,
                                [](transport& all) {
                                    sluice::sum_tree const tree{4, 4};
                                    try {
                                        std::vector<float> const node(200000, 1.0f);
                                        std::vector<float> sum(200000);
                                        auto begun = all.start_all_reduce(tree, node, std::span(sum));
                                        if (all.rank() == 3)
                                            throw std::bad_alloc();
                                        begun.finish();
                                    } catch (std::bad_alloc const&) {
                                    } catch (sluice::distributed_error const&) {
                                    }
                                },
                                {.patience = std::chrono::seconds(20)}));
}

TEST_CASE("threads: no ranks and no patience are refused") {
    auto const nothing = [](transport&) {};
    CHECK_THROWS_WITH_AS(run_ranks(0, nothing), "sluice: run_ranks expects 1 or more ranks, but was given 0",
                         std::invalid_argument);
    CHECK_THROWS_AS(run_ranks(-3, nothing), std::invalid_argument);
    CHECK_THROWS_WITH_AS(run_ranks(1, nothing, {.patience = std::chrono::milliseconds(0)}),
                         "sluice: run_ranks expects a patience of 1 ms or more, but was given 0 ms",
                         std::invalid_argument);
    CHECK_NOTHROW(
        run_ranks(2, [](transport& all) { add(all, 1); }, {.patience = std::chrono::milliseconds::max()}));
}

} // namespace threads_test
