// SPDX-License-Identifier: BSL-1.0
// What every transport of two ranks or more has to do with ranks that are late, end, or make other calls
// than the others: all ranks learn it in a sentence, none waits long, and afterwards every call is refused.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <distributed/conformance.hpp>
#include <sluice/distributed/exchange.hpp>
#include <sluice/distributed/sum_tree.hpp>
#include <sluice/distributed/transport.hpp>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace conformance {

inline bool is_last(transport const& all) {
    return all.rank() == all.size() - 1;
}

/// The transport fails in f, within the time of three patiences, with a sentence in which the words are,
/// and refuses what comes then with the same one.
template <class F>
void fails(transport& all, F&& f, std::vector<std::string> const& words) {
    auto const start = std::chrono::steady_clock::now();
    std::string const text = sentence_of<sluice::distributed_error>(all, f);
    auto const took = std::chrono::steady_clock::now() - start;
    require(took < 3 * patience, all, "it waits too long");
    for (std::string const& word : words)
        require(text.find(word) != text.npos, all, "expected '" + word + "', but was told: " + text);
    std::vector<float> numbers(3);
    require(sentence_of<sluice::distributed_error>(all, [&] { all.fast_sum(std::span(numbers)); }) == text,
            all, "after a failure another sentence is said");
    require(sentence_of<sluice::distributed_error>(
                all, [&] { all.broadcast(std::as_writable_bytes(std::span(numbers)), 0); }) == text,
            all, "after a failure another sentence is said");
}

inline std::string name_of_last(transport const& all) {
    return "rank " + std::to_string(all.size() - 1);
}

inline std::string const same_calls = "all ranks have to make the same calls";

inline void reduce(transport& all, std::size_t leaves, std::size_t count) {
    sum_tree const tree{leaves, all.size()};
    std::vector<float> const nodes(tree.count_nodes(all.rank()) * count, 1.0f);
    std::vector<float> sum(count);
    all.all_reduce(tree, nodes, std::span(sum));
}

inline void other_count(transport& all) {
    reduce(all, 5, 10);
    fails(all, [&] { reduce(all, 5, is_last(all) ? 11 : 10); },
          {"all_reduce of 10 floats", "all_reduce of 11 floats", "(call 2)", same_calls});
}
inline void other_large_count(transport& all) {
    fails(all, [&] { reduce(all, 3, is_last(all) ? 300000 : 300001); }, {same_calls});
}
inline void other_leaves(transport& all) {
    fails(all, [&] { reduce(all, is_last(all) ? 6 : 7, 10); }, {"in 6 leaves", "in 7 leaves", same_calls});
}
inline void other_operation(transport& all) {
    std::vector<std::byte> bytes(40);
    fails(all,
          [&] {
              if (is_last(all))
                  all.broadcast(bytes, 0);
              else
                  reduce(all, 5, 10);
          },
          {"broadcast of 40 bytes from rank 0", "all_reduce of 10 floats in 5 leaves", same_calls});
}
inline void other_root(transport& all) {
    std::vector<std::byte> bytes(100000);
    fails(all, [&] { all.broadcast(bytes, is_last(all) ? 1 : 0); },
          {"from rank 1", "from rank 0", same_calls});
}
inline void other_scalar(transport& all) {
    std::vector<float> floats(8);
    std::vector<double> doubles(8);
    fails(all,
          [&] {
              if (is_last(all))
                  all.all_gather_slices(std::span(doubles));
              else
                  all.all_gather_slices(std::span(floats));
          },
          {"of 8 floats", "of 8 doubles", same_calls});
}
inline void other_fast_sum(transport& all) {
    std::vector<float> numbers(is_last(all) ? 7 : 8);
    fails(all, [&] { all.fast_sum(std::span(numbers)); }, {"of 8 floats", "of 7 floats", same_calls});
}

// Sums of equal length that are finished in another order are never mixed up: they are right, or refused by
// a transport that waits in finish.
inline void other_order(transport& all) {
    sum_tree const tree{4, all.size()};
    std::size_t const own = tree.count_nodes(all.rank()) * 5;
    std::vector<float> const ones(own, 1.0f);
    std::vector<float> const twos(own, 2.0f);
    std::vector<float> one(5);
    std::vector<float> two(5);
    try {
        auto first = all.start_all_reduce(tree, ones, std::span(one));
        auto second = all.start_all_reduce(tree, twos, std::span(two));
        if (is_last(all)) {
            second.finish();
            first.finish();
        } else {
            first.finish();
            second.finish();
        }
    } catch (sluice::distributed_error const& error) {
        std::string const text = error.what();
        require(text.find("the same order") != text.npos, all, "another order is refused with: " + text);
        return;
    }
    auto const nodes = static_cast<float>(tree.count_nodes());
    require(one == std::vector<float>(5, nodes) && two == std::vector<float>(5, 2 * nodes), all,
            "sums in another order are mixed up");
}

inline void sleeper(transport& all) {
    reduce(all, 5, 10);
    if (is_last(all))
        std::this_thread::sleep_for(4 * patience);
    fails(all, [&] { reduce(all, 5, 10); }, {name_of_last(all), "did not come to call 2", "within 0.4 s"});
}
// It sleeps between the two halves of a sum.
inline void late_to_finish(transport& all) {
    sum_tree const tree{4, all.size()};
    std::vector<double> const nodes(tree.count_nodes(all.rank()) * 50000, 1.0);
    std::vector<double> sum(50000);
    auto begun = all.start_all_reduce(tree, nodes, std::span(sum));
    if (is_last(all))
        std::this_thread::sleep_for(4 * patience);
    fails(all, [&] { begun.finish(); }, {name_of_last(all), "call"});
}

inline void leaver(transport& all) {
    reduce(all, 5, 10);
    if (is_last(all))
        all.leave("the disk is full");
    fails(all, [&] { reduce(all, 5, 10); }, {name_of_last(all), "left after 2 calls", "the disk is full"});
}

// The first call is still made by all, the second one is not.
inline void leaver_with_sums(transport& all) {
    sum_tree const tree{4, all.size()};
    std::vector<float> const nodes(tree.count_nodes(all.rank()) * 5, 1.0f);
    std::vector<float> slice(all.slice_of(5).size());
    auto begun = all.start_reduce_scatter(tree, nodes, 5, std::span(slice));
    begun.finish();
    if (is_last(all))
        all.leave("it is late");
    fails(all, [&] { all.start_reduce_scatter(tree, nodes, 5, std::span(slice)).finish(); }, {"it is late"});
    for (float number : slice)
        require(number == static_cast<float>(tree.count_nodes()), all,
                "a call before the end was not finished");
}

inline void dropper(transport& all) {
    sum_tree const tree{4, all.size()};
    std::vector<float> const nodes(tree.count_nodes(all.rank()) * 5, 1.0f);
    std::vector<float> sum(5);
    fails(all,
          [&] {
              auto begun = all.start_all_reduce(tree, nodes, std::span(sum));
              if (!is_last(all))
                  begun.finish();
              else
                  begun = {};
              all.fast_sum(std::span(sum));
          },
          {name_of_last(all), "dropped call 0", "finish has to be called"});
}

inline constexpr std::array faults{check{"another count", other_count},
                                   check{"another large count", other_large_count},
                                   check{"another tree", other_leaves},
                                   check{"another operation", other_operation},
                                   check{"another rank that broadcasts", other_root},
                                   check{"another type", other_scalar},
                                   check{"another fast_sum", other_fast_sum},
                                   check{"another order", other_order},
                                   check{"a rank that sleeps", sleeper},
                                   check{"a rank that sleeps before it finishes", late_to_finish},
                                   check{"a rank that leaves", leaver},
                                   check{"a rank that leaves after sums", leaver_with_sums},
                                   check{"a rank that drops a sum", dropper}};

} // namespace conformance
