// SPDX-License-Identifier: BSL-1.0
// Which bytes of a file belong to a structure: none to two, and what keeping them costs.
#include "support.hpp"

#include <sluice/checkpoint/claimed_bytes.hpp>

#include <random>
#include <vector>

namespace claimed_bytes_test {

using namespace checkpoint_test;
using namespace sluice;
using sluice::detail::claimed_bytes;
namespace errors = sluice::checkpoint_errors;

TEST_CASE("claimed bytes: they belong to one structure") {
    checkpoint_budget left(1000, "'m'");
    claimed_bytes used("'m'", left);
    auto const overlaps = [&](std::uint64_t begin, std::uint64_t size) {
        CAPTURE(begin);
        CHECK(contains(sentence_of<errors::data_overlap>([&] { used.claim(begin, size, "a node"); }),
                       "'m' is damaged: a node at " + std::to_string(begin) + " claims bytes of the file"));
    };
    used.claim(100, 10, "a node");
    used.claim(120, 10, "a node");
    for (std::uint64_t const begin : {100u, 95u, 109u, 120u, 129u})
        overlaps(begin, 6);
    overlaps(90, 100);
    overlaps(102, 1);
    used.claim(110, 10, "a node"); // between them: all three are one
    overlaps(115, 1);
    overlaps(99, 2);
    overlaps(129, 2);
    used.claim(130, 5, "a node");
    used.claim(95, 5, "a node");
    overlaps(134, 1);
    used.claim(135, 1, "a node");
    used.claim(94, 1, "a node");
    used.claim(105, 0, "nothing");
    overlaps(95, 1);
}

TEST_CASE("claimed bytes: neighbours cost memory once") {
    checkpoint_budget left(1000, "'m'");
    claimed_bytes used("'m'", left);
    used.claim(0, 1, "a node");
    std::uint64_t const first = left.memory(), steps = left.steps();
    for (std::uint64_t at = 1; at < 50; ++at)
        used.claim(at, 1, "a node");
    CHECK(left.memory() == first);
    CHECK(left.steps() == 50 * steps);
    used.claim(900, 10, "a node");
    CHECK(left.memory() > first);
}

TEST_CASE("claimed bytes: random ranges are taken exactly where all of their bytes are free") {
    std::mt19937 draw(5);
    for (int round = 0; round < 40; ++round) {
        checkpoint_budget left(1'000'000, "'m'");
        claimed_bytes used("'m'", left);
        std::vector<bool> taken(64);
        for (int i = 0; i < 60; ++i) {
            std::size_t const begin = draw() % 60, size = draw() % 5;
            bool is_free = true;
            for (std::size_t at = begin; at < begin + size; ++at)
                is_free = is_free && !taken[at];
            bool is_claimed = true;
            try {
                used.claim(begin, size, "a node");
            } catch (errors::data_overlap const&) {
                is_claimed = false;
            }
            CAPTURE(begin);
            CAPTURE(size);
            REQUIRE(is_claimed == is_free);
            for (std::size_t at = begin; is_free && at < begin + size; ++at)
                taken[at] = true;
        }
    }
}

} // namespace claimed_bytes_test
