// SPDX-License-Identifier: BSL-1.0
// Leaves that come one after the other become the nodes of a rank, and their sum has the bits that one rank
// alone would get.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <random>
#include <sluice/distributed/range_sum.hpp>
#include <sluice/distributed/sum_tree.hpp>
#include <span>
#include <stdexcept>
#include <vector>

namespace range_sum_test {

using sluice::range_sum;
using sluice::sum_tree;

constexpr std::size_t count = 3;

// Numbers of many sizes, whose sum depends on the order.
std::vector<float> leaves_of(std::size_t leaves) {
    std::mt19937 random(static_cast<unsigned>(leaves) + 7u);
    std::uniform_real_distribution<float> fraction(-1, 1);
    std::vector<float> numbers(leaves * count);
    for (float& number : numbers)
        number = std::ldexp(fraction(random), static_cast<int>(random() % 30));
    return numbers;
}

std::vector<float> nodes_of(sum_tree const& tree, int rank, std::vector<float> const& leaves) {
    range_sum<float> sum(tree, rank, count);
    bool elsewhere = false;
    while (sum.missing() > 0) {
        auto const leaf = std::span(leaves).subspan(sum.next_leaf() * count, count);
        if (elsewhere)
            sum.add(leaf);
        else {
            std::ranges::copy(leaf, sum.next().begin());
            sum.add();
        }
        elsewhere = !elsewhere;
    }
    auto const nodes = sum.nodes();
    return {nodes.begin(), nodes.end()};
}

// The sum as the tree is defined.
float inside(std::vector<float> const& leaves, sluice::number_range node, std::size_t i) {
    if (node.size() == 1)
        return leaves[node.first * count + i];
    std::size_t const cut = sum_tree::middle(node);
    return inside(leaves, {node.first, cut}, i) + inside(leaves, {cut, node.last}, i);
}

TEST_CASE("range_sum: up to 70 leaves and 9 ranks, the sum has the same bits") {
    bool depends_on_order = false;
    for (std::size_t leaves = 1; leaves <= 70; ++leaves) {
        auto const numbers = leaves_of(leaves);
        for (int ranks = 1; ranks <= 9; ++ranks) {
            sum_tree const tree{leaves, ranks};
            std::vector<float> all;
            for (int rank = 0; rank < ranks; ++rank) {
                auto const nodes = nodes_of(tree, rank, numbers);
                REQUIRE(nodes.size() == tree.count_nodes(rank) * count);
                all.insert(all.end(), nodes.begin(), nodes.end());
            }
            for (std::size_t i = 0; i < count; ++i) {
                std::vector<float> places(tree.depth());
                tree.add_up(
                    tree.nodes(),
                    [&](std::size_t place, std::size_t node) { places.at(place) = all[node * count + i]; },
                    [&](std::size_t place) { places.at(place) += places.at(place + 1); });
                float const expected = inside(numbers, tree.root(), i);
                REQUIRE(std::bit_cast<std::uint32_t>(places[0]) == std::bit_cast<std::uint32_t>(expected));
                float in_a_row = 0;
                for (std::size_t leaf = 0; leaf < leaves; ++leaf)
                    in_a_row += numbers[leaf * count + i];
                depends_on_order = depends_on_order || in_a_row != expected;
            }
        }
    }
    CHECK(depends_on_order); // otherwise the numbers show nothing
}

TEST_CASE("range_sum: it starts again with another batch, and has room for a batch's last leaf") {
    sum_tree const tree{5, 1};
    range_sum<double> sum(tree, 0, 2);
    for (int batch = 1; batch < 4; ++batch) {
        for (std::size_t leaf = 0; leaf < 5; ++leaf) {
            CHECK(sum.next_leaf() == leaf);
            CHECK(sum.missing() == 5 - leaf);
            sum.next()[0] = batch;
            sum.next()[1] = static_cast<double>(leaf);
            sum.add();
        }
        REQUIRE(sum.nodes().size() == 2);
        CHECK(sum.nodes()[0] == 5 * batch);
        CHECK(sum.nodes()[1] == 10);
        sum.start_again();
    }
}

TEST_CASE("range_sum: numbers of the last leaf may be added before it is whole") {
    for (std::size_t leaves : {1u, 2u, 5u, 8u, 13u})
        for (int ranks : {1, 2, 3}) {
            sum_tree const tree{leaves, ranks};
            auto const numbers = leaves_of(leaves);
            for (int rank = 0; rank < ranks; ++rank) {
                if (tree.of(rank).size() == 0)
                    continue;
                auto const expected = nodes_of(tree, rank, numbers);
                range_sum<float> sum(tree, rank, count);
                auto const put = [&](std::size_t first, std::size_t last) {
                    for (std::size_t i = first; i < last; ++i)
                        sum.next()[i] = numbers[sum.next_leaf() * count + i];
                };
                while (sum.missing() > 1) {
                    put(0, count);
                    CHECK_THROWS_AS(sum.add_early({0, 1}), std::logic_error);
                    sum.add();
                }
                put(1, count);
                sum.add_early({2, 3});
                sum.add_early({1, 2});
                REQUIRE(sum.nodes_so_far().size() == expected.size());
                for (std::size_t i = 0; i < expected.size(); ++i)
                    if (i % count != 0)
                        CHECK(sum.nodes_so_far()[i] == expected[i]);
                put(0, 1);
                sluice::number_range const rest{0, 1};
                sum.add_rest({&rest, 1});
                CHECK(std::ranges::equal(sum.nodes(), expected));
                CHECK_THROWS_AS(sum.add_early({0, 1}), std::logic_error);
            }
        }
}

TEST_CASE("range_sum: a rank without leaves, and arrays without numbers") {
    range_sum<float> none({2, 5}, 0, 4);
    CHECK(none.missing() == 0);
    CHECK(none.nodes().empty());
    range_sum<float> empty({3, 1}, 0, 0);
    for (int leaf = 0; leaf < 3; ++leaf)
        empty.add({});
    CHECK(empty.nodes().empty());
    range_sum<float> no_batch({0, 1}, 0, 4);
    CHECK(no_batch.nodes().empty());
}

TEST_CASE("range_sum: what goes wrong is said") {
    CHECK_THROWS_WITH_AS((range_sum<float>({3, 2}, 2, 1)),
                         "sluice: range_sum expects a rank from 0 to 1, but was given 2",
                         std::invalid_argument);
    CHECK_THROWS_WITH_AS((range_sum<float>({3, 2}, -1, 1)),
                         "sluice: range_sum expects a rank from 0 to 1, but was given -1",
                         std::invalid_argument);
    CHECK_THROWS_AS((range_sum<float>({3, 0}, 0, 1)), std::invalid_argument);
    CHECK_THROWS_AS((range_sum<float>({3, 1}, 0, static_cast<std::size_t>(-1) / 8)), std::length_error);
    range_sum<float> sum({3, 2}, 1, 2);
    CHECK_THROWS_WITH_AS(sum.nodes(),
                         "sluice: range_sum has not all its leaves, 1 to before 3: the next one is 1",
                         std::logic_error);
    CHECK_THROWS_WITH_AS(sum.add(std::vector<float>{1}),
                         "sluice: range_sum expects leaves of 2 numbers, but was given 1",
                         std::invalid_argument);
    sum.add(std::vector<float>{1, 2});
    sum.add(std::vector<float>{1, 2});
    CHECK_THROWS_WITH_AS(
        sum.next(),
        "sluice: range_sum has all its leaves, 1 to before 3; start_again() makes room for those of "
        "another batch",
        std::logic_error);
    CHECK_THROWS_AS(sum.add(std::vector<float>{1, 2}), std::logic_error);
}

} // namespace range_sum_test
