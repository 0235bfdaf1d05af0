// SPDX-License-Identifier: BSL-1.0
// The tree over the leaves of a batch: parts of ranks, their nodes, and the order of sums.
#include <algorithm>
#include <array>
#include <cstddef>
#include <doctest/doctest.h>
#include <functional>
#include <limits>
#include <sluice/distributed/sum_tree.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace sum_tree_test {

using sluice::number_range;
using sluice::part_of_rank;
using sluice::sum_tree;

// The page's example.
constexpr sum_tree six{6, 3};
static_assert(six.of(0) == number_range{0, 2} && six.of(1) == number_range{2, 4} &&
              six.of(2) == number_range{4, 6});
static_assert(six.count_nodes() == 3);
static_assert(six.middle({0, 6}) == 4 && six.middle({0, 4}) == 2 && six.middle({4, 6}) == 5);
static_assert(six.are_parts({0, 4}, {4, 6}) && six.are_parts({0, 2}, {2, 4}) &&
              six.are_parts({4, 5}, {5, 6}));
static_assert(!six.are_parts({2, 4}, {4, 6}) && !six.are_parts({0, 2}, {2, 6}) &&
              !six.are_parts({1, 2}, {2, 3}));
static_assert(!six.are_parts({0, 0}, {0, 0}) && !six.are_parts({6, 6}, {6, 6}) &&
              !six.are_parts({0, 0}, {0, 6}));
static_assert(sum_tree{7, 2}.count_nodes(0) == 2 && sum_tree{7, 2}.count_nodes(1) == 2);

// More ranks than leaves, no leaves, and numbers of which no product may be made.
static_assert(sum_tree{2, 5}.of(0).size() == 0 && sum_tree{2, 5}.count_nodes() == 2);
static_assert(sum_tree{0, 4}.count_nodes() == 0 && sum_tree{}.depth() == 1);
constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
static_assert(part_of_rank(huge, 6, 7).last == huge && part_of_rank(huge, 0, 7).last == huge / 7);
static_assert(sum_tree{huge, 3}.count_nodes() < 3 * 2 * 64);

constexpr int sum_of_seven() {
    constexpr sum_tree tree{7, 3};
    std::array<int, tree.depth()> places{};
    std::array<number_range, tree.count_nodes()> nodes{};
    std::size_t count = 0;
    for (int rank = 0; rank < 3; ++rank)
        tree.for_each_node(rank, [&](number_range node) { nodes[count++] = node; });
    tree.add_up(
        nodes, [&](std::size_t place, std::size_t i) { places[place] = static_cast<int>(nodes[i].size()); },
        [&](std::size_t place) { places[place] += places[place + 1]; });
    return places[0];
}
static_assert(sum_of_seven() == 7);

// How the sum is written: with brackets.
std::string text(sum_tree const& tree, std::vector<number_range> const& nodes) {
    std::vector<std::string> places(tree.depth());
    tree.add_up(
        nodes,
        [&](std::size_t place, std::size_t i) {
            std::function<std::string(number_range)> const inside = [&](number_range node) -> std::string {
                if (node.size() == 1)
                    return std::to_string(node.first);
                std::size_t const cut = sum_tree::middle(node);
                return '(' + inside({node.first, cut}) + '+' + inside({cut, node.last}) + ')';
            };
            places.at(place) = inside(nodes.at(i));
        },
        [&](std::size_t place) {
            places.at(place) = '(' + places.at(place) + '+' + places.at(place + 1) + ')';
        });
    return places[0];
}

TEST_CASE("sum_tree: the sum of six leaves is the one of its page, for each number of ranks") {
    for (int ranks = 1; ranks < 9; ++ranks) {
        sum_tree const tree{6, ranks};
        CHECK(text(tree, tree.nodes()) == "(((0+1)+(2+3))+(4+5))");
    }
    CHECK(text({1, 3}, sum_tree{1, 3}.nodes()) == "0");
    CHECK(text({7, 4}, sum_tree{7, 4}.nodes()) == "(((0+1)+(2+3))+((4+5)+6))");
}

TEST_CASE("sum_tree: up to 70 leaves and 9 ranks, nodes are few, whole and all leaves, and the order of sums "
          "is one") {
    for (std::size_t leaves = 0; leaves <= 70; ++leaves) {
        std::string const one = text({leaves, 1}, sum_tree{leaves, 1}.nodes());
        for (int ranks = 1; ranks <= 9; ++ranks) {
            sum_tree const tree{leaves, ranks};
            std::size_t next = 0;
            std::size_t most = 0;
            for (int rank = 0; rank < ranks; ++rank) {
                number_range const leaves_of_rank = tree.of(rank);
                auto const nodes = tree.nodes(rank);
                REQUIRE(nodes.size() == tree.count_nodes(rank));
                REQUIRE((nodes.empty() ? leaves_of_rank.size() == 0
                                       : nodes.front().first == leaves_of_rank.first));
                for (number_range const node : nodes) {
                    REQUIRE(node.first == next);
                    REQUIRE(node.size() > 0);
                    next = node.last;
                }
                REQUIRE(next == leaves_of_rank.last);
                most = std::max(most, nodes.size());
            }
            REQUIRE(next == leaves);
            REQUIRE(most <= 2 * tree.depth());
            REQUIRE(tree.nodes().size() == tree.count_nodes());
            REQUIRE(text(tree, tree.nodes()) == one);
        }
    }
}

TEST_CASE("sum_tree: parts of ranks differ by one at most, and are all there is") {
    for (std::size_t count : {0u, 1u, 3u, 17u, 1000u})
        for (int ranks = 1; ranks < 12; ++ranks) {
            std::size_t next = 0;
            for (int rank = 0; rank < ranks; ++rank) {
                number_range const part = part_of_rank(count, rank, ranks);
                auto const parts = static_cast<std::size_t>(ranks);
                CHECK(part.first == next);
                CHECK(part.first == count * static_cast<std::size_t>(rank) / parts);
                CHECK(part.size() >= count / parts);
                CHECK(part.size() <= count / parts + 1);
                next = part.last;
            }
            CHECK(next == count);
        }
}

TEST_CASE("sum_tree: without ranks it is refused") {
    CHECK_THROWS_WITH_AS((sum_tree{3, 0}.check()),
                         "sluice: a sum_tree expects 1 or more ranks, but was given 0",
                         std::invalid_argument);
    CHECK_NOTHROW((sum_tree{3, 1}.check()));
}

} // namespace sum_tree_test
