// SPDX-License-Identifier: BSL-1.0
// Ranks that are late, end, or make other calls, and all that NCCL may refuse: sentences on all ranks.
#include "host_nccl.hpp"
#include "on_ranks.hpp"

#include <device/host/controls.hpp>
#include <distributed/faults.hpp>
#include <doctest/doctest.h>
#include <sluice/distributed/world.hpp>
#include <stdexcept>
#include <thread>

namespace nccl_faults_test {

using on_ranks::array;
using on_ranks::said_by;
using transport = sluice::nccl::transport;

void reduce(transport& all, std::size_t leaves, std::size_t count) {
    sluice::sum_tree const tree{leaves, all.size()};
    array<float> nodes(tree.count_nodes(all.rank()) * count, 1.0f), sum(count, 0.0f);
    all.all_reduce(tree, nodes.span(), sum.span());
}
bool is_last(transport const& all) {
    return all.rank() == all.size() - 1;
}
/// f() once, while no rank is in a call of NCCL's.
template <class F>
void between_calls(transport& all, F f) {
    all.words().broadcast({}, 0);
    if (all.rank() == 1)
        f();
    all.words().broadcast({}, 0);
}

/// f fails on all three ranks within some patiences, of which one may sleep four; afterwards both transports
/// say the same again.
template <class F>
std::vector<std::string> failing(F f) {
    auto const said = said_by(3, [&](sluice::transport& words) {
        transport all(words);
        auto const start = std::chrono::steady_clock::now();
        std::string first;
        try {
            f(all);
        } catch (std::exception const& error) {
            first = error.what();
        }
        conformance::require(!first.empty(), words, "nothing was said");
        conformance::require(std::chrono::steady_clock::now() - start < 7 * on_ranks::patience, words,
                             "it waits too long");
        auto const again =
            conformance::sentence_of<sluice::distributed_error>(words, [&] { reduce(all, 5, 3); });
        conformance::require(again == first, words, "at first '" + first + "', then '" + again + "'");
        conformance::sentence_of<sluice::distributed_error>(words, [&] { conformance::reduce(words, 5, 3); });
        throw std::runtime_error(first);
    });
    CHECK(host_nccl::alive() == 0);
    return said;
}
void all_say(std::vector<std::string> const& said, std::string const& words) {
    for (std::string const& one : said) {
        CAPTURE(one);
        CHECK(one.find(words) != one.npos);
    }
}

TEST_CASE("nccl_faults: ranks that make other calls learn which") {
    auto said = failing([](transport& all) {
        reduce(all, 5, 10);
        reduce(all, 5, is_last(all) ? 11 : 10);
    });
    all_say(said, "all_reduce of 10 floats in 5 leaves");
    all_say(said, "all_reduce of 11 floats in 5 leaves");
    all_say(said, conformance::same_calls);
    said = failing([](transport& all) {
        array<double> numbers(6, 1.0);
        if (is_last(all))
            all.fast_sum(numbers.span());
        else
            all.all_gather_slices(numbers.span());
    });
    all_say(said, "all_gather_slices of 6 doubles");
    all_say(said, "fast_sum of 6 doubles");
    said = failing([](transport& all) {
        array<float> numbers(6, 1.0f);
        all.broadcast(std::as_writable_bytes(numbers.span()), is_last(all) ? 1 : 0);
    });
    all_say(said, "broadcast of 24 bytes from rank 0");
    all_say(said, "broadcast of 24 bytes from rank 1");
    said = failing([](transport& all) {
        if (is_last(all))
            conformance::reduce(all.words(), 4, 10); // on the host
        else
            reduce(all, 5, 10);
    });
    all_say(said, "all_reduce of 10 floats in 4 leaves");
}

TEST_CASE("nccl_faults: ranks that are late, and that leave, are named") {
    auto said = failing([](transport& all) {
        reduce(all, 5, 10);
        if (is_last(all))
            std::this_thread::sleep_for(4 * on_ranks::patience);
        reduce(all, 5, 10);
    });
    all_say(said, "rank 2 did not come to call");
    all_say(said, "within 1 s");
    said = failing([](transport& all) {
        reduce(all, 5, 10);
        if (is_last(all))
            all.words().leave("the disk is full");
        reduce(all, 5, 10);
    });
    all_say(said, "rank 2 of 3 left after");
    all_say(said, "the disk is full");
}

TEST_CASE("nccl_faults: an exception that destroys a rank's transport ends the others") {
    auto const said = said_by(3, [](sluice::transport& words) {
        transport all(words);
        reduce(all, 5, 10);
        if (is_last(all))
            throw std::range_error("the rope is too short");
        reduce(all, 5, 10);
    });
    CHECK(said[2] == "the rope is too short");
    CHECK(said[0].find("rank 2") != std::string::npos);
    CHECK(said[1] == said[0]);
    CHECK(host_nccl::alive() == 0);
}

TEST_CASE("nccl_faults: what NCCL refuses on one rank is said on all") {
    for (std::string const call : {"ncclSend", "ncclRecv", "ncclGroupEnd", "ncclCommGetAsyncError"}) {
        CAPTURE(call);
        host_nccl::changed_settings with;
        auto const said = failing([&](transport& all) {
            reduce(all, 5, 10);
            between_calls(all, [&] {
                with->failing_rank = 1;
                with->fails = call;
            });
            reduce(all, 5, 10);
        });
        CHECK(said[1].starts_with("sluice: NCCL could not "));
        CHECK(said[1].ends_with(": the wire is cut"));
        for (int const other : {0, 2}) {
            auto const& one = said[static_cast<std::size_t>(other)];
            CAPTURE(one);
            CHECK((one.find("rank 1 of 3 left after") != one.npos ||
                   one.find("remote process exited") != one.npos));
        }
    }
    host_nccl::changed_settings with;
    with->failing_rank = 1;
    with->fails = "ncclAllReduce";
    auto said = failing([](transport& all) {
        array<float> numbers(5, 1.0f);
        all.fast_sum(numbers.span());
    });
    CHECK(said[1] ==
          "sluice: NCCL could not sum 5 numbers of all ranks: unhandled cuda error (1): the wire is cut");
    with->fails = "ncclBroadcast";
    said = failing([](transport& all) {
        array<float> numbers(5, 1.0f);
        all.broadcast(std::as_writable_bytes(numbers.span()), 2);
    });
    CHECK(said[1] ==
          "sluice: NCCL could not broadcast 20 bytes from rank 2: unhandled cuda error (1): the wire is cut");
}

TEST_CASE("nccl_faults: what breaks while NCCL works, and what never ends") {
    {
        host_nccl::changed_settings with;
        with->broken_rank = 1;
        with->groups_to_break = 2;
        auto const said = failing([](transport& all) {
            array<float> numbers(5, 1.0f);
            reduce(all, 5, 10);
            all.fast_sum(numbers.span());
        });
        CHECK(said[1] == "sluice: NCCL could not go on: unhandled system error (2): the wire is cut");
    }
    for (bool const tells : {false, true}) {
        CAPTURE(tells);
        host_nccl::changed_settings with;
        with->tells_of_ends = tells;
        auto const said = failing([&](transport& all) {
            reduce(all, 5, 10);
            between_calls(all, [&] { with->silent_rank = 1; });
            reduce(all, 5, 10);
        });
        if (!tells)
            all_say(said, "all_reduce of 10 floats in 5 leaves");
    }
}

TEST_CASE("nccl_faults: a device that has no more memory ends all ranks") {
    host_device::changed_settings with;
    auto const said = failing([&](transport& all) {
        sluice::sum_tree const tree{5, all.size()};
        array<float> nodes(tree.count_nodes(all.rank()) * 10, 1.0f), sum(10, 0.0f);
        between_calls(all, [&] { with->fail_allocation = 1; });
        all.all_reduce(tree, nodes.span(), sum.span());
    });
    int without_memory = 0;
    for (std::string const& one : said)
        without_memory += one.starts_with("sluice: CUDA could not allocate ");
    CHECK(without_memory == 1);
}

TEST_CASE("nccl_faults: a transport that cannot be made is said on all ranks") {
    auto const made = [](sluice::transport& words) {
        transport all(words);
        reduce(all, 5, 10);
    };
    {
        host_nccl::changed_settings with;
        with->fails = "ncclGetUniqueId";
        auto const said = said_by(3, made);
        CHECK(said[0] == "sluice: NCCL could not give ranks a name to meet by: unhandled system error (2)");
        CHECK(said[1].find("rank 0 of 3 left after 0 calls: NCCL could not give ranks") != std::string::npos);
        CHECK(said[2] == said[1]);
    }
    {
        host_nccl::changed_settings with;
        with->fails = "ncclCommInitRankConfig";
        with->failing_rank = 2;
        auto const said = said_by(3, made);
        CHECK(said[2] ==
              "sluice: NCCL could not make a communicator of 3 ranks: invalid usage (5): the wire is cut");
        CHECK_FALSE(said[0].empty());
        CHECK_FALSE(said[1].empty());
    }
    {
        host_nccl::changed_settings with;
        with->silent_rank = 2;
        with->tells_of_ends = false;
        all_say(said_by(3, made), "NCCL did not make a communicator of 3 ranks within 1 s: see whether");
    }
    {
        host_device::changed_settings no;
        no->device = false;
        all_say(said_by(3, made), "a cell on a CUDA device needs one, and there is none");
    }
    CHECK(host_nccl::alive() == 0);
}

} // namespace nccl_faults_test
