// SPDX-License-Identifier: BSL-1.0
// The budget of a reader, the bytes that it has used, and boxes that are copied.
#include "support.hpp"

#include <sluice/checkpoint/box.hpp>
#include <sluice/checkpoint/budget.hpp>
#include <sluice/checkpoint/claimed_bytes.hpp>

#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

namespace budget_test {

using namespace checkpoint_test;
using namespace sluice;
using sluice::detail::borrowed_memory;
using sluice::detail::box_axis;
using sluice::detail::claimed_bytes;
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

TEST_CASE("budget: bytes belong to one structure") {
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

TEST_CASE("budget: neighbours cost memory once") {
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

/// A box copied as its axes say, number by number.
std::vector<unsigned char> copied(std::vector<std::size_t> const& shape) {
    std::size_t count = 1;
    for (std::size_t const extent : shape)
        count *= extent;
    std::vector<unsigned char> from(count), to(count, 0xFF);
    std::iota(from.begin(), from.end(), static_cast<unsigned char>(0));
    std::vector<box_axis> axes;
    std::size_t fortran = 1, c = count;
    for (std::size_t const extent : shape) {
        c /= extent;
        axes.push_back({extent, fortran, c});
        fortran *= extent;
    }
    sluice::detail::copy_box(reinterpret_cast<std::byte const*>(from.data()),
                             reinterpret_cast<std::byte*>(to.data()), axes, 1);
    return to;
}

TEST_CASE("budget: boxes from Fortran's order into C's") {
    CHECK(copied({2, 3}) == std::vector<unsigned char>{0, 2, 4, 1, 3, 5});
    CHECK(copied({1, 2, 1, 3, 1}) == copied({2, 3}));
    CHECK(copied({3}) == std::vector<unsigned char>{0, 1, 2});
    CHECK(copied({}) == std::vector<unsigned char>{0});
    auto const three = copied({2, 3, 4});
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < 4; ++k)
                CHECK(three[(i * 3 + j) * 4 + k] == i + 2 * j + 6 * k);
}

TEST_CASE("budget: rows of a box within another one") {
    std::vector<unsigned char> from{1, 2, 3, 4, 5, 6}, to(12);
    sluice::detail::copy_box(reinterpret_cast<std::byte const*>(from.data()),
                             reinterpret_cast<std::byte*>(to.data()) + 5, {{2, 3, 4}}, 2);
    CHECK(to == std::vector<unsigned char>{0, 0, 0, 0, 0, 1, 2, 0, 0, 4, 5, 0});
}

} // namespace budget_test
