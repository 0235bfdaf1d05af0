// SPDX-License-Identifier: BSL-1.0
// What a gradient_sum (gradient_sum.hpp) does wherever its numbers lie: the micro-batches of a rank, and
// the mean loss of the batch, which all ranks sum on the host:
//
//   L = sum_m w_m L_m / sum_m w_m
//
// A loss or a gradient that is not finite is known to all ranks before any gradient is used.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sluice/distributed/range_sum.hpp>
#include <sluice/distributed/world.hpp>
#include <span>
#include <stdexcept>
#include <vector>

namespace sluice {

/// A loss or a gradient of a rank is NaN or infinite. All ranks know, and the transport works on.
class not_finite_error : public distributed_error {
public:
    using distributed_error::distributed_error;
};

/// In which order a gradient_sum adds.
enum class sum_order {
    of_tree,     ///< the same bits for any number of ranks
    of_transport ///< what the transport adds fastest in; the bits follow from the number of ranks
};

/// Rows of a global batch that are computed together.
struct micro_batch {
    std::size_t index = 0;     ///< among all of the batch
    std::size_t first_row = 0; ///< of the batch
    std::size_t rows = 0;
};

class batch_mean {
public:
    /// For batches of so many rows, in micro-batches of `rows`; the last may be smaller. Throws
    /// std::invalid_argument for micro-batches without rows.
    batch_mean(transport& with, std::size_t batch, std::size_t rows)
        : all_(with), tree_{batch == 0 ? 0 : (batch - 1) / checked(rows) + 1, with.size()}, batch_(batch),
          rows_(rows), facts_(tree_, with.rank(), facts) {
        auto const [first, last] = tree_.of(with.rank());
        for (std::size_t index = first; index < last; ++index)
            mine_.push_back({index, index * rows, std::min(rows, batch - index * rows)});
    }

    /// Called by all ranks. Throws distributed_error where they have other batches.
    void agree() const {
        all_.agree("the number of rows of the batch", batch_);
        all_.agree("the number of rows of a micro-batch", rows_);
    }

    world const& all() const { return all_; }
    std::vector<micro_batch> const& mine() const { return mine_; }
    sum_tree const& tree() const { return tree_; }

    /// Throws std::invalid_argument for a weight below 0, infinite or NaN.
    static void check(double weight) {
        if (!(weight >= 0 && std::isfinite(weight)))
            fail<std::invalid_argument>(
                {"gradient_sum::add expects a finite weight of at least 0, but it is ", weight});
    }
    /// Of the next micro-batch. Throws std::logic_error where none is missing.
    void add(double weight, double loss, bool are_gradients_finite) {
        bool const is_finite = are_gradients_finite && std::isfinite(loss);
        if (!is_finite && first_bad_ == none)
            first_bad_ = facts_.next_leaf();
        std::span<double> const fact = facts_.next();
        fact[0] = weight;
        fact[1] = is_finite ? weight * loss : 0;
        fact[2] = is_finite ? 0 : 1;
        facts_.add();
    }
    /// The sums over all ranks, of what loss() is made of. Throws std::logic_error where a micro-batch is
    /// missing, before anything is sent.
    void sum() { all_.by().all_reduce(tree_, facts_.nodes(), std::span<double>(sums_)); }
    /// The mean loss of the batch; 0 where all weights are 0. Begins again. Throws a not_finite_error, on all
    /// ranks, that names a rank and a micro-batch where a loss or a gradient is not finite.
    double loss() {
        std::uint64_t const first_bad = first_bad_;
        start_again();
        if (sums_[2] > 0) {
            std::vector<std::uint64_t> const bad = all_.from_all(first_bad);
            for (std::size_t rank = 0; rank < bad.size(); ++rank)
                if (bad[rank] != none)
                    fail<not_finite_error>({"the loss or a gradient of micro-batch ", bad[rank],
                                            ", which rank ", rank,
                                            " computed, is NaN or infinite, so that no rank takes a step; "
                                            "lower the learning rate, or "
                                            "look at the rows of that micro-batch"});
        }
        return sums_[0] > 0 ? sums_[1] / sums_[0] : 0;
    }
    /// What makes means of sums: one by the sum of all weights, or 0.
    double factor() const { return sums_[0] > 0 ? 1 / sums_[0] : 0; }
    /// Forgets what was added.
    void start_again() {
        facts_.start_again();
        first_bad_ = none;
    }

private:
    static constexpr std::size_t facts = 3; // weight, weight times loss, micro-batches that are not finite
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    static std::size_t checked(std::size_t rows) {
        if (rows == 0)
            fail<std::invalid_argument>({"gradient_sum expects micro-batches of 1 or more rows, but got 0"});
        return rows;
    }

    world all_;
    sum_tree tree_;
    std::size_t batch_, rows_;
    range_sum<double> facts_;
    std::array<double, facts> sums_{};
    std::vector<micro_batch> mine_{};
    std::uint64_t first_bad_ = none;
};

} // namespace sluice
