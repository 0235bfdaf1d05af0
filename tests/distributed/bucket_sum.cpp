// SPDX-License-Identifier: BSL-1.0
// Sums of an array in buckets: which numbers they have, when they begin, and that the sums are those of the
// tree, with a courier and without one.
#include <chrono>
#include <cstddef>
#include <doctest/doctest.h>
#include <sluice/distributed/alone.hpp>
#include <sluice/distributed/bucket_sum.hpp>
#include <sluice/distributed/range_sum.hpp>
#include <sluice/distributed/threads.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

namespace bucket_sum_test {

using namespace std::chrono_literals;
using sluice::bucket_sum;
using sluice::number_range;
using sluice::overlap_options;
using sluice::sum_tree;

TEST_CASE("bucket_sum: buckets are counted from the end, and begin in that order") {
    sluice::alone all;
    bucket_sum<float> sums(all, {1, 1}, 10, {.bucket = 4});
    REQUIRE(sums.buckets() == 3);
    CHECK(sums.of(0) == number_range{0, 2});
    CHECK(sums.of(1) == number_range{2, 6});
    CHECK(sums.of(2) == number_range{6, 10});
    CHECK(sums.begun() == 0);
    CHECK_FALSE(sums.is_next_here());

    std::vector<float> const nodes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    std::vector<float> sum(10);
    sums.arrived({0, 7}); // the first two, and one number of the last
    CHECK_FALSE(sums.is_next_here());
    sums.arrived({7, 7});
    CHECK_FALSE(sums.is_next_here());
    sums.arrived({7, 10});
    for (std::size_t first : {6u, 2u, 0u}) {
        REQUIRE(sums.is_next_here());
        CHECK(sums.next().first == first);
        sums.begin_next(nodes, sum);
        std::vector<number_range> begun;
        sums.for_each_part({0, 10}, [&](number_range part, bool has_begun) {
            if (has_begun)
                begun.push_back(part);
        });
        CHECK(begun.size() == sums.begun());
        CHECK(begun.front() == sums.of(3 - sums.begun()));
    }
    CHECK_FALSE(sums.is_next_here());
    CHECK_THROWS_WITH_AS(sums.begin_next(nodes, sum),
                         "sluice: bucket_sum has begun all its 3 buckets; finish them", std::logic_error);
    sums.move_on();
    sums.finish();
    CHECK(sum == nodes);
    CHECK(sums.begun() == 0);
    CHECK_FALSE(sums.is_next_here());
    sums.finish(); // nothing has begun
}

TEST_CASE("bucket_sum: buckets begin in the order in which the last of their numbers arrive") {
    sluice::alone all;
    std::vector<number_range> const arrivals{{6, 9}, {0, 2}, {2, 6}, {9, 10}};
    bucket_sum<float> sums(all, {1, 1}, 10, {.bucket = 4}, arrivals);
    std::vector<float> const nodes{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    std::vector<float> sum(10);
    std::vector<std::size_t> begun;
    for (number_range const numbers : arrivals) {
        sums.arrived(numbers);
        begun.push_back(0);
        for (; sums.is_next_here(); sums.begin_next(nodes, sum))
            begun.back() += 1 + sums.next().first;
    }
    CHECK(begun == std::vector<std::size_t>{0, 1, 3, 7}); // [0,2), [2,6), [6,10)
    std::vector<number_range> parts;
    sums.for_each_part({1, 7}, [&](number_range part, bool has_begun) {
        CHECK(has_begun);
        parts.push_back(part);
    });
    CHECK(parts == std::vector<number_range>{{1, 2}, {2, 6}, {6, 7}});
    sums.finish();
    CHECK(sum == nodes);
    CHECK_THROWS_AS(bucket_sum<float>(all, {1, 1}, 10, {}, {{9, 11}}), std::invalid_argument);
}

TEST_CASE("bucket_sum: of no numbers, of one bucket, and of one number each") {
    sluice::alone all;
    for (std::size_t count : {0u, 1u, 5u})
        for (std::size_t bucket : {std::size_t(1), std::size_t(5), ~std::size_t(0)}) {
            bucket_sum<double> sums(all, {1, 1}, count, {.bucket = bucket});
            CHECK(sums.buckets() == (count == 0 ? 0 : bucket == 1 ? count : 1));
            std::vector<double> const nodes(count, 3.0);
            std::vector<double> sum(count);
            for (int round = 0; round < 2; ++round) {
                sums.arrived({0, count});
                CHECK(sums.is_next_here() == (count > 0));
                sums.begin_rest(nodes, sum);
                sums.finish();
                CHECK(sum == nodes);
            }
        }
}

// What bucket_sum gives for leaves of random numbers, and what range_sum of one rank does.
void check_ranks(int ranks, std::size_t leaves, std::size_t count, overlap_options chosen) {
    auto const leaf = [count](std::size_t k, unsigned round) {
        std::vector<float> numbers(count);
        for (std::size_t i = 0; i < count; ++i)
            numbers[i] = 1.0f / static_cast<float>(1 + i * 7 + k * 1001 + round);
        return numbers;
    };
    sluice::run_ranks(ranks, [&](sluice::transport& all) {
        sum_tree const tree{leaves, ranks};
        sluice::range_sum<float> own(tree, all.rank(), count);
        std::vector<float> sum(count);
        bucket_sum<float> sums(all, tree, count, chosen);
        for (unsigned round = 0; round < 3; ++round) {
            own.start_again();
            sluice::range_sum<float> one({leaves, 1}, 0, count);
            for (std::size_t k = 0; k < leaves; ++k)
                one.add(leaf(k, round));
            for (std::size_t k = tree.of(all.rank()).first; k < tree.of(all.rank()).last; ++k)
                own.add(leaf(k, round));
            if (round == 1) { // some before, and time for the courier
                sums.arrived({count / 2, count});
                while (sums.is_next_here())
                    sums.begin_next(own.nodes(), sum);
                std::this_thread::sleep_for(std::chrono::milliseconds(2 * all.rank()));
                sums.move_on();
            }
            sums.begin_rest(own.nodes(), sum);
            sums.pause();
            std::vector<float> other{1.0f}; // another call meanwhile
            all.fast_sum(std::span(other));
            sums.finish();
            if (leaves > 0)
                CHECK(std::vector<float>(one.nodes().begin(), one.nodes().end()) == sum);
            else
                CHECK(std::vector<float>(count) == sum);
        }
    });
}

TEST_CASE("bucket_sum: to the bit the sum of one rank, for any number of ranks and buckets") {
    for (int ranks : {1, 2, 3, 4})
        for (std::size_t leaves : {0u, 1u, 2u, 5u, 9u})
            for (std::size_t bucket : {1u, 7u, 1000u})
                check_ranks(ranks, leaves, 43, {.bucket = bucket});
}

TEST_CASE("bucket_sum: the same with a courier") {
    for (int ranks : {2, 3})
        for (std::size_t bucket : {3u, 1000u})
            check_ranks(ranks, 5, 101, {.bucket = bucket, .courier = 20us});
}

TEST_CASE("bucket_sum: a rank that ends meanwhile is named, with a courier and without one") {
    for (std::chrono::microseconds courier : {0us, 50us}) {
        std::string said;
        try {
            sluice::run_ranks(2, [&](sluice::transport& all) {
                std::vector<float> const nodes(6, 1.0f);
                std::vector<float> sum(6);
                bucket_sum<float> sums(all, {2, 2}, 6, {.bucket = 2, .courier = courier});
                sums.begin_next(nodes, sum);
                if (all.rank() == 1)
                    throw std::runtime_error("the rope is too short");
                std::this_thread::sleep_for(5ms);
                sums.begin_rest(nodes, sum);
                sums.finish();
            });
        } catch (std::exception const& error) {
            said = error.what();
        }
        CHECK(said == "sluice: rank 1 of 2 ended with an error: the rope is too short");
    }
}

TEST_CASE("bucket_sum: options that cannot be are refused") {
    sluice::alone all;
    bucket_sum<float> sums(all, {1, 1}, 3);
    CHECK_THROWS_WITH_AS(sums.arrived({2, 4}),
                         "sluice: bucket_sum has 3 numbers, but was told of those from 2 to before 4",
                         std::invalid_argument);
    CHECK_THROWS_AS(sums.arrived({2, 1}), std::invalid_argument);
    CHECK_THROWS_WITH_AS(bucket_sum<float>(all, {1, 1}, 3, {.bucket = 0}),
                         "sluice: overlap_options expects buckets of 1 or more numbers, but got 0",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS(bucket_sum<float>(all, {1, 1}, 3, {.courier = -1us}),
                         "sluice: overlap_options expects a courier that comes every 0 us, which is never, "
                         "or more, but got -1 us",
                         std::invalid_argument);
}

} // namespace bucket_sum_test
