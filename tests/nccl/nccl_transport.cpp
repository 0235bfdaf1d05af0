// SPDX-License-Identifier: BSL-1.0
// Sums on devices have the bits of sums on the host, for any number of ranks. These cases are for any NCCL:
// that of the host (host_nccl.hpp), and the real one (on_gpu.cpp).
#include "on_ranks.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/distributed/alone.hpp>
#include <stdexcept>

namespace nccl_transport_test {

using conformance::nodes_of;
using conformance::require;
using conformance::same_bits;
using conformance::sum_of_one;
using on_ranks::array;
using sluice::number_range;
using sluice::sum_tree;
using transport = sluice::nccl::transport;

template <class S>
void sums(transport& all) {
    for (std::size_t leaves : {0u, 1u, 2u, 3u, 5u, 8u, 13u})
        for (std::size_t count : {0u, 1u, 3u, 10u, 1027u}) {
            std::string const what = std::to_string(leaves) + " leaves of " + std::to_string(count);
            sum_tree const tree{leaves, all.size()};
            std::vector<S> const expected = sum_of_one<S>(leaves, count);
            array<S> nodes(nodes_of<S>(tree, all.rank(), count));
            number_range const own = all.slice_of(count);

            array<S> slice(own.size(), S(7)), sum(count, S(7));
            all.reduce_scatter(tree, nodes.span(), count, slice.span());
            require(same_bits<S>(slice.fetch(), std::span(expected).subspan(own.first, own.size())),
                    all.words(), "reduce_scatter, " + what);
            all.all_reduce(tree, nodes.span(), sum.span());
            require(same_bits<S>(sum.fetch(), expected), all.words(), "all_reduce, " + what);
            if (tree.count_nodes(all.rank()) == 0) {
                all.all_reduce(tree, {}, sum.span());
                require(same_bits<S>(sum.fetch(), expected), all.words(), "all_reduce of nothing, " + what);
            } else {
                all.all_reduce(tree, nodes.span(), nodes.span().first(count));
                auto numbers = nodes.fetch();
                numbers.resize(count);
                require(same_bits<S>(numbers, expected), all.words(), "all_reduce in place, " + what);
            }
        }
}

TEST_CASE_TEMPLATE("nccl_transport: sums have the bits of the tree, on 1 to 4 ranks", S, float, double) {
    for (int const ranks : {1, 2, 3, 4}) {
        CAPTURE(ranks);
        CHECK_NOTHROW(on_ranks::run(ranks, sums<S>));
    }
}

template <class S>
void others(transport& all) {
    auto const ranks = static_cast<std::size_t>(all.size());
    for (std::size_t count : {0u, 1u, 2u, 7u, 1001u}) {
        std::string const what = " of " + std::to_string(count);
        std::vector<S> numbers(count, S(-1)), whole(count);
        number_range const own = all.slice_of(count);
        for (std::size_t i = 0; i < count; ++i)
            whole[i] = static_cast<S>(i) / 3;
        for (std::size_t i = own.first; i < own.last; ++i)
            numbers[i] = whole[i];
        array<S> gathered(numbers);
        all.all_gather_slices(gathered.span());
        require(same_bits<S>(gathered.fetch(), whole), all.words(), "all_gather_slices" + what);

        for (int from = 0; from < all.size(); ++from) {
            array<S> sent(count, static_cast<S>(all.rank()));
            all.broadcast(std::as_writable_bytes(sent.span()), from);
            require(sent.fetch() == std::vector<S>(count, static_cast<S>(from)), all.words(),
                    "broadcast" + what);
        }
        for (std::size_t i = 0; i < count; ++i)
            numbers[i] = static_cast<S>(i + static_cast<std::size_t>(all.rank()));
        array<S> fast(numbers);
        all.fast_sum(fast.span());
        for (std::size_t i = 0; i < count; ++i)
            whole[i] = static_cast<S>(i * ranks + ranks * (ranks - 1) / 2);
        require(fast.fetch() == whole, all.words(), "fast_sum" + what);
    }
}

TEST_CASE_TEMPLATE("nccl_transport: arrays are gathered, broadcast and summed fast", S, float, double) {
    for (int const ranks : {1, 2, 3, 4}) {
        CAPTURE(ranks);
        CHECK_NOTHROW(on_ranks::run(ranks, others<S>));
    }
}

TEST_CASE("nccl_transport: NaN, infinity, small numbers and the sign of zero stay what they are") {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    constexpr float small = std::numeric_limits<float>::denorm_min();
    CHECK_NOTHROW(on_ranks::run(3, [](transport& all) {
        std::vector<float> numbers{1, 1, 1, small, -0.0f};
        auto const ranks = static_cast<float>(all.size());
        if (all.rank() == all.size() - 1) {
            numbers[0] = std::numeric_limits<float>::quiet_NaN();
            numbers[2] = -infinity;
        }
        array<float> there(numbers);
        all.all_reduce({static_cast<std::size_t>(all.size()), all.size()}, there.span(), there.span());
        numbers = there.fetch();
        require(std::isnan(numbers[0]) && numbers[1] == ranks && numbers[2] == -infinity, all.words(),
                "not finite");
        require(numbers[3] == small * ranks && numbers[4] == 0 && std::signbit(numbers[4]), all.words(),
                "small");
    }));
}

TEST_CASE(
    "nccl_transport: the host's transport goes on between its calls, and several do not disturb each other") {
    CHECK_NOTHROW(on_ranks::run(3, [](transport& all) {
        require(all.name() == "threads and NCCL " + sluice::nccl::detail::version_of_library(), all.words(),
                "the name is " + std::string(all.name()));
        transport second(all.words());
        for (int round = 0; round < 3; ++round) {
            conformance::broadcasts(all.words());
            array<float> one(5, 1.0f), two(5, 2.0f);
            all.fast_sum(one.span());
            second.fast_sum(two.span());
            auto const ranks = static_cast<float>(all.size());
            require(one.fetch() == std::vector<float>(5, ranks), all.words(), "the first");
            require(two.fetch() == std::vector<float>(5, 2 * ranks), all.words(), "the second");
        }
    }));
    sluice::alone words;
    on_ranks::choose_device(0);
    transport alone(words);
    array<float> numbers(3, 1.0f);
    alone.fast_sum(numbers.span());
    CHECK(numbers.fetch() == std::vector<float>(3, 1.0f));
    CHECK(alone.name().starts_with("alone and NCCL 2."));
}

TEST_CASE("nccl_transport: what a rank sees by itself stops nothing") {
    on_ranks::run(2, [](transport& all) {
        if (all.size() < 2)
            return;
        array<float> nodes(8, 1.0f), sum(5, 0.0f);
        auto const refused = [&](auto f, std::string const& words) {
            auto const text = conformance::sentence_of<std::invalid_argument>(all.words(), f);
            require(text.find(words) != text.npos, all.words(), text);
        };
        refused([&] { all.broadcast(std::as_writable_bytes(sum.span()), 2); },
                "broadcast expects a rank from 0 to 1, but was given 2");
        refused(
            [&] {
                all.all_reduce({2, 2}, nodes.span(), sum.span());
            },
            "all_reduce expects 1 nodes of 5 numbers from rank");
        refused(
            [&] {
                all.all_reduce({2, 3}, nodes.span(), sum.span());
            },
            "all_reduce expects a sum_tree of 2 ranks, but was given one of 3");
        refused(
            [&] {
                all.reduce_scatter({2, 2}, nodes.span(), 8, sum.span());
            },
            "reduce_scatter expects a slice of 4 numbers, those that rank");
        all.all_reduce({2, 2}, nodes.span(), nodes.span());
        require(nodes.fetch() == std::vector<float>(8, 2.0f), all.words(), "the others were stopped");
    });
}

} // namespace nccl_transport_test
