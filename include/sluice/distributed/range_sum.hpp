// SPDX-License-Identifier: BSL-1.0
// What a rank adds up by itself: the leaves of its range, one after the other, an array of numbers each.
// Arrays are added as soon as the tree allows, as the digits of a binary counter are carried, so that only
// as many as the logarithm of the leaves are kept:
//
//   range_sum<float> sum(tree, rank, count);
//   for (std::size_t leaf : leaves of the rank) {
//       gradient(leaf, sum.next());     // written where it is to be added
//       sum.add();
//   }
//   all.reduce_scatter(tree, sum.nodes(), count, slice);     // transport.hpp
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <sluice/core/fail.hpp>
#include <sluice/distributed/sum_tree.hpp>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sluice {

/// Where a range_sum keeps its numbers: on the host.
template <class S>
class host_leaves {
public:
    void resize(std::size_t count) { all_.resize(count); }
    std::span<S> all() { return all_; }
    std::span<S const> all() const { return all_; }
    /// left[i] += right[i]
    void add(S const* right, S* left, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            left[i] += right[i];
    }
    void copy(std::span<S const> from, S* to) { std::ranges::copy(from, to); }

private:
    std::vector<S> all_{};
};

/// The sums of a rank: leaves, arrays of `count` numbers, come in order, and become its nodes of the tree.
/// `Numbers` are where they lie, and add there, as host_leaves.
template <class S, class Numbers = host_leaves<S>>
class range_sum {
public:
    /// Throws std::invalid_argument for a rank that is none of the tree's.
    range_sum(sum_tree const& tree, int rank, std::size_t count, Numbers numbers = {})
        : tree_(tree), count_(count), sums_(std::move(numbers)) {
        tree.check();
        if (rank < 0 || rank >= tree.ranks)
            fail<std::invalid_argument>(
                {"range_sum expects a rank from 0 to ", tree.ranks - 1, ", but was given ", rank});
        range_ = tree.of(rank);
        std::size_t const arrays = most_at_once();
        nodes_ = sums_of_.size();
        if (count > 0 && arrays > std::numeric_limits<std::size_t>::max() / sizeof(S) / count)
            fail<std::length_error>({"range_sum keeps ", arrays, " arrays of ", count,
                                     " numbers, which are more bytes than an address can count"});
        sums_.resize(arrays * count);
        start_again();
    }

    /// How many leaves are still to come.
    std::size_t missing() const { return range_.last - came_; }
    /// Which leaf is the next one.
    std::size_t next_leaf() const { return came_; }

    /// Where the numbers of the next leaf may be written, [count]. What is there before does not matter.
    /// Throws std::logic_error when all leaves have come.
    std::span<S> next() {
        if (missing() == 0)
            fail<std::logic_error>({"range_sum has all its leaves, ", range_.first, " to before ",
                                    range_.last, "; start_again() makes room for those of another batch"});
        return sums_.all().subspan(sums_of_.size() * count_, count_);
    }

    /// The next leaf is what was written to next().
    void add() {
        number_range const all{0, count_};
        add_rest({&all, 1});
    }

    /// Of the last leaf, these numbers are in next() already, and are added at once: nodes_so_far has their
    /// sums. add_rest is to follow, with the numbers that were not added so. Throws std::logic_error where it
    /// is not the last leaf.
    void add_early(number_range numbers) {
        if (missing() != 1)
            fail<std::logic_error>(
                {"range_sum::add_early expects the last leaf, but ", missing(), " leaves are still to come"});
        std::vector<number_range> const before = sums_of_;
        sums_of_.push_back({came_, came_ + 1});
        while (join_last_two())
            join_arrays(numbers);
        sums_of_ = before;
    }
    void add_rest(std::span<number_range const> numbers) {
        next();
        sums_of_.push_back({came_, came_ + 1});
        ++came_;
        while (join_last_two())
            for (number_range const part : numbers)
                join_arrays(part);
    }

    /// The next leaf is this array, [count], which lies elsewhere. Throws std::invalid_argument where it
    /// has another length.
    void add(std::span<S const> leaf) {
        if (leaf.size() != count_)
            fail<std::invalid_argument>(
                {"range_sum expects leaves of ", count_, " numbers, but was given ", leaf.size()});
        sums_.copy(leaf, next().data());
        add();
    }

    /// The sums of the rank's nodes, [nodes, count]. Throws std::logic_error before all leaves have come.
    std::span<S const> nodes() const {
        if (missing() != 0)
            fail<std::logic_error>({"range_sum has not all its leaves, ", range_.first, " to before ",
                                    range_.last, ": the next one is ", came_});
        return sums_.all().first(sums_of_.size() * count_);
    }
    /// Where they will be.
    std::span<S const> nodes_so_far() const { return sums_.all().first(nodes_ * count_); }

    /// Forgets what came, for the leaves of another batch.
    void start_again() {
        sums_of_.clear();
        came_ = range_.first;
    }

private:
    // The arrays that are kept at a time, the next leaf's included.
    std::size_t most_at_once() {
        std::size_t most = 0;
        for (std::size_t leaf = range_.first; leaf < range_.last; ++leaf) {
            sums_of_.push_back({leaf, leaf + 1});
            most = std::max(most, sums_of_.size());
            while (join_last_two()) {
            }
        }
        return most;
    }
    // Whether the last two arrays are to be added now.
    bool join_last_two() {
        std::size_t const count = sums_of_.size();
        if (count < 2 || !tree_.are_parts(sums_of_[count - 2], sums_of_[count - 1]))
            return false;
        sums_of_[count - 2].last = sums_of_[count - 1].last;
        sums_of_.pop_back();
        return true;
    }

    // Numbers of the last array become the sum of what they were and those of the array after it.
    void join_arrays(number_range numbers) {
        S* const left = sums_.all().data() + (sums_of_.size() - 1) * count_;
        sums_.add(left + count_ + numbers.first, left + numbers.first, numbers.size());
    }

    sum_tree tree_;
    std::size_t count_;
    number_range range_;
    std::size_t nodes_ = 0;             // when all leaves have come
    std::size_t came_ = 0;              // the next leaf
    std::vector<number_range> sums_of_; // of what the arrays so far are the sums
    Numbers sums_;
};

} // namespace sluice
