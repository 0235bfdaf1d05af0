// SPDX-License-Identifier: BSL-1.0
// A sum that has begun comes to its end by being asked, whatever else has begun. What is refused is in
// tests/distributed/transport.cpp.
#include <cstddef>
#include <doctest/doctest.h>
#include <sluice/distributed/pending_sum.hpp>
#include <sluice/distributed/threads.hpp>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace pending_sum_test {

TEST_CASE("pending_sum: test adds up, and begins the second part, in any order on each rank") {
    sluice::run_ranks(3, [](sluice::transport& all) {
        sluice::sum_tree const tree{5, 3};
        constexpr std::size_t sums = 4, count = 7, stride = 9;
        std::size_t const own = tree.count_nodes(all.rank());
        std::vector<std::vector<double>> nodes, found;
        std::vector<sluice::pending_sum<double>> begun;
        for (std::size_t k = 0; k < sums; ++k) {
            nodes.emplace_back(own * stride, 1. + static_cast<double>(k));
            found.emplace_back(count);
        }
        for (std::size_t k = 0; k < sums; ++k) // nodes lie in longer arrays, the last one up to its end
            begun.push_back(all.start_all_reduce(
                tree, std::span<double const>(nodes[k]).first((own - 1) * stride + count),
                std::span(found[k]), stride));
        bool is_done = false;
        while (!is_done) {
            is_done = true;
            for (std::size_t k = 0; k < sums; ++k) // each rank begins with another one
                is_done = begun[(k + static_cast<std::size_t>(all.rank())) % sums].test() && is_done;
            std::this_thread::yield();
        }
        for (std::size_t k = 0; k < sums; ++k) {
            CHECK(begun[k].test());
            begun[k].finish();
            CHECK(begun[k].test());
            CHECK(found[k] == std::vector<double>(count, static_cast<double>((k + 1) * tree.count_nodes())));
        }
    });
}

TEST_CASE("pending_sum: nodes that do not fit their stride are refused") {
    sluice::run_ranks(1, [](sluice::transport& all) {
        sluice::sum_tree const tree{3, 1}; // one node
        std::vector<float> const nodes(5);
        std::vector<float> sum(5);
        CHECK_THROWS_AS(static_cast<void>(all.start_all_reduce(tree, nodes, std::span(sum), 4)),
                        std::invalid_argument);
        CHECK_THROWS_AS(
            static_cast<void>(all.start_all_reduce(tree, std::span(nodes).first(4), std::span(sum), 6)),
            std::invalid_argument);
        all.start_all_reduce(tree, nodes, std::span(sum), ~std::size_t(0) / 16).finish();
        CHECK(sum == nodes);
    });
}

TEST_CASE("pending_sum: one that never began is at its end") {
    sluice::pending_sum<float> none;
    CHECK(none.test());
    auto const moved = std::move(none);
    CHECK_THROWS_AS(none.finish(), std::logic_error);
}

} // namespace pending_sum_test
