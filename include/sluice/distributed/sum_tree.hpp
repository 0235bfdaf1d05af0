// SPDX-License-Identifier: BSL-1.0
// The order in which arrays of a batch are added, on whichever ranks they are. A global batch is cut into M
// micro-batches, the *leaves*, and the gradient of each is computed by itself. Their sum is taken along a
// fixed binary tree over [0, M): a node of n > 1 leaves is the sum of its first part, as many leaves as the
// largest power of two below n, and of the rest. The numbers therefore do not depend on how many ranks
// there are.
//
// M = 6 leaves of N = 3 ranks:
//
//                 [0,6)                    rank 0   leaves 0 1   node [0,2)
//            [0,4)     [4,6)               rank 1   leaves 2 3   node [2,4)
//        [0,2)  [2,4)                      rank 2   leaves 4 5   node [4,6)
//
// Rank r has the leaves [M r / N, M (r + 1) / N). They are whole nodes of the tree, at most 2 log2 M of
// them. The rank adds up what is inside each (range_sum.hpp) and sends one array for each; the owner of
// a slice gets the nodes of all ranks and adds them up along the rest of the tree.
//
// The sum of no leaves is zero. Two numbers are added as the machine does: of two NaN either may remain.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <iterator>
#include <sluice/core/fail.hpp>
#include <span>
#include <stdexcept>
#include <vector>

namespace sluice {

/// The leaves [first, last), or the numbers [first, last) of an array.
struct number_range {
    std::size_t first = 0;
    std::size_t last = 0;

    constexpr std::size_t size() const { return last - first; }
    constexpr bool operator==(number_range const&) const = default;
};

/// The part of `rank` when `count` things are dealt to `ranks`: [count rank / ranks, count (rank + 1) /
/// ranks). Parts differ in size by one at most, and some are empty where there are more ranks than things.
constexpr number_range part_of_rank(std::size_t count, int rank, int ranks) {
    auto const parts = static_cast<std::size_t>(ranks);
    // count = q parts + s, so that no product is larger than count or than the square of parts.
    auto const start = [&](std::size_t part) { return count / parts * part + count % parts * part / parts; };
    return {start(static_cast<std::size_t>(rank)), start(static_cast<std::size_t>(rank) + 1)};
}

/// The tree over the leaves of a batch, dealt to ranks.
struct sum_tree {
    std::size_t leaves = 0;
    int ranks = 1;

    constexpr bool operator==(sum_tree const&) const = default;

    /// The whole tree.
    constexpr number_range root() const { return {0, leaves}; }
    /// The leaves of a rank.
    constexpr number_range of(int rank) const { return part_of_rank(leaves, rank, ranks); }

    /// Where a node of more than one leaf is cut in two.
    static constexpr std::size_t middle(number_range node) {
        return node.first + std::bit_floor(node.size() - 1);
    }

    /// The part, of the two of a node, that has a leaf.
    static constexpr number_range part_with(std::size_t leaf, number_range node) {
        std::size_t const cut = middle(node);
        return leaf < cut ? number_range{node.first, cut} : number_range{cut, node.last};
    }

    /// Whether two ranges, the second where the first ends, are the two parts of one node.
    constexpr bool are_parts(number_range left, number_range right) const {
        number_range const whole{left.first, right.last};
        if (left.size() == 0 || right.size() == 0)
            return false;
        number_range node = root();
        while (node.size() > whole.size())
            node = part_with(whole.first, node);
        return node == whole && middle(node) == left.last;
    }

    /// Calls f with each node of a rank, in order: the largest whole nodes inside its leaves.
    template <class F>
    constexpr void for_each_node(int rank, F&& f) const {
        number_range const wanted = of(rank);
        for (std::size_t next = wanted.first; next < wanted.last;) {
            number_range node = root();
            while (node.first != next || node.last > wanted.last)
                node = part_with(next, node);
            f(node);
            next = node.last;
        }
    }
    /// How many nodes a rank has.
    constexpr std::size_t count_nodes(int rank) const {
        std::size_t count = 0;
        for_each_node(rank, [&](number_range) { ++count; });
        return count;
    }
    /// How many nodes all ranks have.
    constexpr std::size_t count_nodes() const {
        std::size_t count = 0;
        for (int rank = 0; rank < ranks; ++rank)
            count += count_nodes(rank);
        return count;
    }
    /// The nodes of a rank, in order.
    std::vector<number_range> nodes(int rank) const {
        std::vector<number_range> found;
        for_each_node(rank, [&](number_range node) { found.push_back(node); });
        return found;
    }
    /// The nodes of all ranks, in order. Together they are all leaves.
    std::vector<number_range> nodes() const {
        std::vector<number_range> found;
        for (int rank = 0; rank < ranks; ++rank)
            for_each_node(rank, [&](number_range node) { found.push_back(node); });
        return found;
    }

    /// The most numbers that add_up keeps apart at a time.
    constexpr std::size_t depth() const { return static_cast<std::size_t>(std::bit_width(leaves)) + 1; }

    /// Adds up nodes that are, in order, all leaves: those that `nodes()` gives.
    ///   take(place, i)   the place becomes the sum of the leaves of nodes[i]
    ///   add(place)       the place becomes its own sum, on the left, and that of the next place, on the
    /// right Places are below depth(). In the end place 0 is the sum of all. With no leaves nothing is
    /// called.
    template <class Nodes, class Take, class Add>
    constexpr void add_up(Nodes const& nodes, Take&& take, Add&& add) const {
        std::array<number_range, 66> sums{}; // what places are the sums of
        std::size_t places = 0;
        for (std::size_t i = 0; i < std::size(nodes); ++i) {
            take(places, i);
            sums[places++] = nodes[i];
            for (; places > 1 && are_parts(sums[places - 2], sums[places - 1]); --places) {
                add(places - 2);
                sums[places - 2].last = sums[places - 1].last;
            }
        }
    }

    /// Throws std::invalid_argument where there are no ranks.
    void check() const {
        if (ranks < 1)
            fail<std::invalid_argument>({"a sum_tree expects 1 or more ranks, but was given ", ranks});
    }
};

/// sum[i] = the sum along the tree of arrays[k][i], where arrays[k] are the numbers of nodes[k], and
/// `nodes` are those of all ranks, in order. `sum` may be one of the arrays, and then no other may overlap
/// it.
template <class S>
void add_up_arrays(sum_tree const& tree, std::vector<number_range> const& nodes,
                   std::vector<S const*> const& arrays, std::span<S> sum) {
    constexpr std::size_t block = 1024; // numbers of one place, so that all places stay in the nearest cache
    std::vector<S> memory(tree.depth() * std::min(block, sum.size()));
    std::vector<S const*> places(tree.depth());
    if (nodes.empty())
        std::ranges::fill(sum, S(0));
    else
        for (std::size_t first = 0; first < sum.size(); first += block) {
            std::size_t const count = std::min(block, sum.size() - first);
            tree.add_up(
                nodes, [&](std::size_t place, std::size_t i) { places[place] = arrays[i] + first; },
                [&](std::size_t place) {
                    S const* const left = places[place];
                    S const* const right = places[place + 1];
                    S* const result = memory.data() + place * count;
                    for (std::size_t k = 0; k < count; ++k)
                        result[k] = left[k] + right[k];
                    places[place] = result;
                });
            if (places[0] != sum.data() + first)
                std::copy_n(places[0], count, sum.data() + first);
        }
}

} // namespace sluice
