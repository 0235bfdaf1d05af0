// SPDX-License-Identifier: BSL-1.0
// The budget of a reader.
#include "support.hpp"

#include <sluice/checkpoint/budget.hpp>

#include <limits>
#include <utility>

namespace budget_test {

using namespace checkpoint_test;
using namespace sluice;
using sluice::detail::borrowed_memory;
using sluice::detail::counted_bytes;
namespace errors = sluice::checkpoint_errors;

TEST_CASE("budget: the bound") {
    checkpoint_budget left(1000, "'m'");
    CHECK(left.memory() == 1000); // the file itself
    CHECK(left.most_memory() == 17 * 1000 + 65'536);
    CHECK(left.most_steps() == 4 * left.most_memory());
    left.expect_deflated(10);
    CHECK(left.most_memory() == 17 * 1000 + 2064 * 10 + 65'536);
    left.expect_deflated(980);
    CHECK(left.most_memory() == 17 * 1000 + 2064 * 990 + 65'536);
    left.expect_deflated(std::numeric_limits<std::uint64_t>::max()); // not more than there is
    CHECK(left.most_memory() == 17 * 1000 + 2064 * 1000 + 65'536);
    CHECK(left.most_steps() == 4 * left.most_memory());
    std::uint64_t const largest = std::numeric_limits<std::uint64_t>::max();
    checkpoint_budget huge(largest, "'m'"); // no product overflows
    huge.expect_deflated(largest);
    CHECK(huge.most_memory() > largest / 10);
    CHECK(huge.most_steps() / 4 == huge.most_memory());
    CHECK(huge.memory() < huge.most_memory() / 100);
}

TEST_CASE("budget: memory and steps to the last one, and no more") {
    checkpoint_budget left(10, "'m'");
    std::uint64_t const rest = left.most_memory() - left.memory();
    left.take(rest - 7, "names");
    CHECK(
        sentence_of<errors::costs_too_much>([&] { left.take(8, "names"); }) ==
        "'m': names would cost 8 bytes of memory, and 7 are left of the 65706 that a file of 10 bytes, 0 of "
        "them deflated, may cost. It is damaged, or made to exhaust its reader; save it again with the "
        "program that wrote it.");
    left.take(7, "names");
    CHECK(left.memory() == left.most_memory());
    left.give_back(7);
    left.take(7, "names");
    left.step(left.most_steps() - 1, "names");
    CHECK(contains(sentence_of<errors::costs_too_much>([&] { left.step(2, "a chunk"); }),
                   "'m': a chunk would cost 2 steps, and 1 are left of the 262824 that a file of 10 bytes"));
    left.step(1, "a chunk");
    CHECK(left.steps() == left.most_steps());
    std::uint64_t const largest = std::numeric_limits<std::uint64_t>::max();
    CHECK_THROWS_AS(left.take(largest, "names"), errors::costs_too_much);
    CHECK_THROWS_AS(left.take_numbers(largest, "numbers"), errors::costs_too_much);
    CHECK_THROWS_AS(left.step(largest, "names"), errors::costs_too_much);
}

TEST_CASE("budget: what is deflated makes room for numbers, and not for names") {
    checkpoint_budget left(100, "'m'");
    std::uint64_t const plain = left.most_memory() - left.memory();
    left.expect_deflated(100);
    left.take_numbers(100 * 2064, "numbers");
    CHECK(contains(sentence_of<errors::costs_too_much>([&] { left.take(plain + 1, "names"); }),
                   "names would cost 67137 bytes of memory, and 67136 are left of the 67236 that"));
    left.take(plain, "names");
    CHECK_THROWS_AS(left.take_numbers(1, "numbers"), errors::costs_too_much);
    left.give_back(1);
    left.take_numbers(1, "numbers"); // numbers may have the room of names
    CHECK_THROWS_AS(left.take(1, "names"), errors::costs_too_much);
    CHECK(left.memory() == left.most_memory());
}

TEST_CASE("budget: memory is given back once") {
    checkpoint_budget left(10, "'m'");
    {
        borrowed_memory some(left);
        some.take(100, "names");
        some.take(20, "names");
        CHECK(left.memory() == 130);
    }
    CHECK(left.memory() == 10);
    {
        counted_bytes first(left, 50, "numbers");
        {
            counted_bytes second(left, 30, "numbers");
            CHECK(left.memory() == 90);
            first = std::move(second);
        }
        CHECK(first.size() == 30);
        CHECK(left.memory() == 40);
        CHECK(std::move(first).keep().size() == 30);
    }
    CHECK(left.memory() == 40);
    CHECK_THROWS_AS(counted_bytes(left, std::uint64_t(1) << 60, "numbers"), errors::costs_too_much);
    CHECK(left.memory() == 40);
}

} // namespace budget_test
