// SPDX-License-Identifier: BSL-1.0
// What every transport has to do. Each check is a function that all ranks run on a transport of their own;
// it throws where something is not as it should be, so that it needs no test framework in the ranks.
//
//   checks         on a transport that goes on
//   faults         on one that ends with each of them, of 2 ranks or more, with the patience below
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <sluice/distributed/exchange.hpp>
#include <sluice/distributed/range_sum.hpp>
#include <sluice/distributed/sum_tree.hpp>
#include <sluice/distributed/transport.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace conformance {

using sluice::number_range;
using sluice::sum_tree;
using sluice::transport;

inline constexpr std::chrono::milliseconds patience{400};

inline void require(bool is_so, transport const& all, std::string const& what) {
    if (!is_so)
        throw std::logic_error("conformance, rank " + std::to_string(all.rank()) + " of " +
                               std::to_string(all.size()) + ": " + what);
}

template <class S>
bool same_bits(std::span<S const> a, std::span<S const> b) {
    using bits = std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t>;
    bool same = a.size() == b.size();
    for (std::size_t i = 0; same && i < a.size(); ++i)
        same = std::bit_cast<bits>(a[i]) == std::bit_cast<bits>(b[i]);
    return same;
}

/// A leaf's numbers, which any rank can make: of many sizes, so that their sum depends on its order.
template <class S>
std::vector<S> leaf_of(std::size_t leaf, std::size_t count, unsigned seed = 1) {
    std::mt19937 random(static_cast<unsigned>(leaf) * 7919u + seed);
    std::vector<S> numbers(count);
    for (S& number : numbers)
        number = std::ldexp(static_cast<S>(random()) - S(2147483648.0), static_cast<int>(random() % 24) - 40);
    return numbers;
}

/// The nodes of a rank.
template <class S>
std::vector<S> nodes_of(sum_tree const& tree, int rank, std::size_t count, unsigned seed = 1) {
    sluice::range_sum<S> sum(tree, rank, count);
    while (sum.missing() > 0)
        sum.add(leaf_of<S>(sum.next_leaf(), count, seed));
    return {sum.nodes().begin(), sum.nodes().end()};
}

/// What one rank alone gets.
template <class S>
std::vector<S> sum_of_one(std::size_t leaves, std::size_t count, unsigned seed = 1) {
    auto sum = nodes_of<S>({leaves, 1}, 0, count, seed);
    sum.resize(count); // of no leaves: zeros
    return sum;
}

inline void broadcasts(transport& all) {
    for (std::size_t bytes : {0u, 1u, 3u, 1000u, 100003u})
        for (int from = 0; from < all.size(); ++from) {
            std::vector<std::byte> sent(bytes, static_cast<std::byte>(all.rank()));
            for (std::size_t i = 0; i < bytes; i += 2)
                sent[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(all.rank()));
            all.broadcast(sent, from);
            for (std::size_t i = 0; i < bytes; ++i)
                require(sent[i] == (i % 2 == 0
                                        ? static_cast<std::byte>(i * 7 + static_cast<std::size_t>(from))
                                        : static_cast<std::byte>(from)),
                        all, "broadcast of " + std::to_string(bytes) + " bytes");
        }
}

inline void gathers(transport& all) {
    for (std::size_t bytes : {0u, 1u, 3u, 17u, 70001u})
        for (bool in_place : {false, true}) {
            auto const ranks = static_cast<std::size_t>(all.size());
            auto const own = static_cast<std::size_t>(all.rank());
            std::vector<std::byte> gathered(bytes * ranks);
            std::vector<std::byte> elsewhere(bytes);
            auto const mine =
                in_place ? std::span(gathered).subspan(own * bytes, bytes) : std::span(elsewhere);
            for (std::size_t i = 0; i < bytes; ++i)
                mine[i] = static_cast<std::byte>(i + own * 31);
            all.all_gather(mine, gathered);
            for (std::size_t q = 0; q < ranks; ++q)
                for (std::size_t i = 0; i < bytes; ++i)
                    require(gathered[q * bytes + i] == static_cast<std::byte>(i + q * 31), all,
                            "all_gather of " + std::to_string(bytes) + " bytes");
        }
}

template <class S>
void gathers_of_slices(transport& all) {
    for (std::size_t count : {0u, 1u, 3u, 7u, 1001u, 30011u}) {
        std::vector<S> array(count, S(-1));
        number_range const own = all.slice_of(count);
        for (std::size_t i = own.first; i < own.last; ++i)
            array[i] = static_cast<S>(i) / 3;
        all.all_gather_slices(std::span(array));
        for (std::size_t i = 0; i < count; ++i)
            require(array[i] == static_cast<S>(i) / 3, all, "all_gather_slices of " + std::to_string(count));
    }
}

template <class S>
void sums(transport& all) {
    for (std::size_t leaves : {0u, 1u, 2u, 3u, 5u, 7u, 8u, 13u, 33u})
        for (std::size_t count : {0u, 1u, 3u, 10u, 1027u, 5000u}) {
            std::string const what = std::to_string(leaves) + " leaves of " + std::to_string(count);
            sum_tree const tree{leaves, all.size()};
            std::vector<S> const expected = sum_of_one<S>(leaves, count);
            std::vector<S> const nodes = nodes_of<S>(tree, all.rank(), count);
            number_range const own = all.slice_of(count);

            std::vector<S> slice(own.size(), S(7));
            all.reduce_scatter(tree, nodes, count, std::span(slice));
            require(same_bits<S>(slice, std::span(expected).subspan(own.first, own.size())), all,
                    "reduce_scatter, " + what);
            std::vector<S> sum(count, S(7));
            all.all_reduce(tree, nodes, std::span(sum));
            require(same_bits<S>(sum, expected), all, "all_reduce, " + what);
            std::vector<S> place = nodes;
            if (place.size() >= count) {
                all.all_reduce(tree, place, std::span(place).first(count));
                place.resize(count);
            } else { // a rank without leaves
                place.resize(count);
                all.all_reduce(tree, {}, std::span(place));
            }
            require(same_bits<S>(place, expected), all, "all_reduce in place, " + what);
        }
}

// Several at a time, finished in another order than they began, and asked whether they are there.
inline void pending(transport& all) {
    constexpr std::size_t leaves = 6;
    sum_tree const tree{leaves, all.size()};
    std::array<std::size_t, 5> const counts{1000, 1, 0, 20011, 64};
    std::array<unsigned, 5> const order{3, 0, 4, 2, 1};
    for (unsigned round = 0; round < 3; ++round) {
        std::vector<std::vector<float>> nodes;
        std::vector<std::vector<float>> results;
        std::vector<sluice::pending_sum<float>> begun;
        for (unsigned k = 0; k < counts.size(); ++k) {
            nodes.push_back(nodes_of<float>(tree, all.rank(), counts[k], k + round));
            results.emplace_back(k % 2 == 0 ? counts[k] : all.slice_of(counts[k]).size());
        }
        for (unsigned k = 0; k < counts.size(); ++k)
            begun.push_back(k % 2 == 0
                                ? all.start_all_reduce(tree, nodes[k], std::span(results[k]))
                                : all.start_reduce_scatter(tree, nodes[k], counts[k], std::span(results[k])));
        while (round == 1 && !begun[3].test())
            std::this_thread::yield();
        if (round == 2)
            std::this_thread::sleep_for(std::chrono::milliseconds(3 * all.rank()));
        for (unsigned k : order)
            begun[k].finish();
        for (unsigned k = 0; k < counts.size(); ++k) {
            auto const sum = sum_of_one<float>(leaves, counts[k], k + round);
            number_range const own = k % 2 == 0 ? number_range{0, counts[k]} : all.slice_of(counts[k]);
            require(same_bits<float>(results[k], std::span(sum).subspan(own.first, own.size())), all,
                    "pending sum " + std::to_string(k));
        }
    }
}

template <class S>
void fast_sums(transport& all) {
    for (std::size_t count : {0u, 1u, 3u, 5000u}) {
        std::vector<S> numbers(count);
        for (std::size_t i = 0; i < count; ++i)
            numbers[i] = static_cast<S>(i + static_cast<std::size_t>(all.rank()));
        all.fast_sum(std::span(numbers));
        auto const ranks = static_cast<std::size_t>(all.size());
        for (std::size_t i = 0; i < count; ++i)
            require(numbers[i] == static_cast<S>(i * ranks + ranks * (ranks - 1) / 2), all, "fast_sum");
    }
}

// NaN and infinity stay where they are, and minus zero keeps its sign where nothing is added to it.
inline void special_numbers(transport& all) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    sum_tree const tree{static_cast<std::size_t>(all.size()), all.size()};
    std::vector<float> numbers{1, 1, 1, std::numeric_limits<float>::denorm_min(), -0.0f};
    if (all.rank() == all.size() - 1) {
        numbers[0] = std::numeric_limits<float>::quiet_NaN();
        numbers[2] = -infinity;
    }
    all.all_reduce(tree, numbers, std::span(numbers));
    require(std::isnan(numbers[0]), all, "NaN is lost");
    require(numbers[1] == static_cast<float>(all.size()), all, "NaN goes to its neighbour");
    require(numbers[2] == -infinity, all, "infinity is lost");
    require(numbers[3] == std::numeric_limits<float>::denorm_min() * static_cast<float>(all.size()), all,
            "small numbers are lost");
    require(numbers[4] == 0 && std::signbit(numbers[4]), all, "the sign of zero is lost");
}

template <class Error, class F>
std::string sentence_of(transport const& all, F&& f) {
    try {
        f();
    } catch (Error const& error) {
        return error.what();
    }
    require(false, all, "an error was expected");
    return {};
}

// What a rank sees by itself stops nothing.
inline void wrong_arguments(transport& all) {
    sum_tree const tree{3, all.size()};
    std::vector<float> const nodes = nodes_of<float>(tree, all.rank(), 4);
    std::vector<float> array(4);
    std::vector<float> other(nodes.size() + 1);
    std::vector<float> too_long(100);
    std::vector<std::byte> bytes(static_cast<std::size_t>(all.size()) * 3 + 1);
    auto const refused = [&](auto&& f, std::string const& words) {
        std::string const text = sentence_of<std::invalid_argument>(all, f);
        require(text.find(words) != text.npos, all, "expected '" + words + "', but was told: " + text);
    };
    auto const ranks = std::to_string(all.size());
    refused([&] { all.broadcast(bytes, all.size()); }, "broadcast expects a rank from 0 to " +
                                                           std::to_string(all.size() - 1) +
                                                           ", but was given " + ranks);
    refused([&] { all.broadcast(bytes, -1); }, "but was given -1");
    refused([&] { all.all_gather(std::span(bytes).first(3), bytes); },
            "all_gather of 3 bytes on each of " + ranks);
    refused([&] { all.all_reduce(tree, other, std::span(array)); },
            "all_reduce expects " + std::to_string(tree.count_nodes(all.rank())) +
                " nodes of 4 numbers from rank");
    refused(
        [&] {
            all.all_reduce({3, all.size() + 1}, nodes, std::span(array));
        },
        "all_reduce expects a sum_tree of " + ranks + " ranks");
    refused([&] { all.reduce_scatter(tree, nodes, 4, std::span(too_long)); },
            "reduce_scatter expects a slice of");
    refused(
        [&] {
            all.reduce_scatter(tree, {}, std::numeric_limits<std::size_t>::max() / 2, std::span(too_long));
        },
        "reduce_scatter expects a slice of");
    all.all_reduce(tree, nodes, std::span(array));
    require(same_bits<float>(array, sum_of_one<float>(3, 4)), all,
            "what a rank was refused stopped the others");
}

// Calls that follow each other without order, the same on all ranks.
inline void programs(transport& all) {
    std::mt19937 random(20 + static_cast<unsigned>(all.size()));
    for (int step = 0; step < 120; ++step) {
        std::size_t const count = random() % (step % 10 == 0 ? 20000 : 50);
        std::size_t const leaves = random() % 12;
        int const from = static_cast<int>(random() % static_cast<unsigned>(all.size()));
        auto const kind = random() % 4;
        sum_tree const tree{leaves, all.size()};
        auto const expected = sum_of_one<double>(leaves, count, static_cast<unsigned>(step));
        auto const nodes = nodes_of<double>(tree, all.rank(), count, static_cast<unsigned>(step));
        std::vector<double> sum(count);
        if (kind == 0)
            all.all_reduce(tree, nodes, std::span(sum));
        else if (kind == 1) {
            number_range const own = all.slice_of(count);
            all.reduce_scatter(tree, nodes, count, std::span(sum).subspan(own.first, own.size()));
            all.all_gather_slices(std::span(sum));
        } else {
            if (all.rank() == from)
                sum = expected;
            all.broadcast(std::as_writable_bytes(std::span(sum)), from);
        }
        require(same_bits<double>(sum, expected), all, "step " + std::to_string(step) + " of a program");
    }
}

struct check {
    char const* name;
    void (*run)(transport&);
};

inline constexpr std::array checks{check{"broadcast", broadcasts},
                                   check{"all_gather", gathers},
                                   check{"all_gather_slices of floats", gathers_of_slices<float>},
                                   check{"all_gather_slices of doubles", gathers_of_slices<double>},
                                   check{"sums of floats", sums<float>},
                                   check{"sums of doubles", sums<double>},
                                   check{"pending sums", pending},
                                   check{"fast_sum of floats", fast_sums<float>},
                                   check{"fast_sum of doubles", fast_sums<double>},
                                   check{"special numbers", special_numbers},
                                   check{"wrong arguments", wrong_arguments},
                                   check{"programs", programs}};

} // namespace conformance
