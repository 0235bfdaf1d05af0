// SPDX-License-Identifier: BSL-1.0
// Micro-batches are dealt to ranks, and losses are summed to a mean; what is not finite is known to all.
#include <cstddef>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/distributed/alone.hpp>
#include <sluice/distributed/batch_mean.hpp>
#include <sluice/distributed/threads.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace batch_mean_test {

using sluice::batch_mean;
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST_CASE("batch_mean: each micro-batch belongs to one rank, and the last may be smaller") {
    for (int const ranks : {1, 2, 3, 5}) {
        std::vector<std::vector<sluice::micro_batch>> of(static_cast<std::size_t>(ranks));
        sluice::run_ranks(ranks, [&](sluice::transport& by) {
            batch_mean const mean(by, 11, 3);
            mean.agree();
            of[static_cast<std::size_t>(by.rank())] = mean.mine();
        });
        std::size_t index = 0;
        for (auto const& mine : of)
            for (auto const& part : mine) {
                CHECK(part.index == index);
                CHECK(part.first_row == 3 * index);
                CHECK(part.rows == (index == 3 ? 2 : 3));
                ++index;
            }
        CHECK(index == 4);
    }
}

TEST_CASE("batch_mean: the mean is weighted, and has the same bits on any number of ranks") {
    std::vector<double> means;
    for (int const ranks : {1, 2, 3, 5})
        sluice::run_ranks(ranks, [&](sluice::transport& by) {
            batch_mean mean(by, 13, 2);
            for (int round = 0; round < 2; ++round) {
                for (auto const& part : mean.mine())
                    mean.add(0.1 * static_cast<double>(part.index + 1),
                             1.0 / static_cast<double>(part.index + 3), true);
                mean.sum();
                double const found = mean.loss();
                if (by.rank() == 0)
                    means.push_back(found);
            }
        });
    for (double const mean : means)
        CHECK(mean == means[0]);
    double sum = 0;
    for (int m = 0; m < 7; ++m)
        sum += (m + 1) / (m + 3.0);
    CHECK(means[0] == doctest::Approx(sum / 28).epsilon(1e-14));
}

TEST_CASE("batch_mean: no weight is a mean of 0, and so is no batch") {
    sluice::alone by;
    batch_mean mean(by, 2, 1), none(by, 0, 1);
    mean.add(0, 4, true);
    mean.add(0, 5, true);
    mean.sum();
    CHECK(mean.loss() == 0);
    CHECK(mean.factor() == 0);
    none.sum();
    CHECK(none.loss() == 0);
}

TEST_CASE("batch_mean: what is not finite names its rank, and all begin anew") {
    for (bool const is_loss : {false, true}) {
        std::vector<std::string> said(3);
        sluice::run_ranks(3, [&](sluice::transport& by) {
            batch_mean mean(by, 6, 1);
            for (auto const& part : mean.mine()) {
                bool const is_bad = part.index == 3 || part.index == 4;
                mean.add(1, is_bad && is_loss ? infinity : 1, is_loss || !is_bad);
            }
            mean.sum();
            try {
                (void)mean.loss();
            } catch (sluice::not_finite_error const& error) {
                said[static_cast<std::size_t>(by.rank())] = error.what();
            }
            for (auto const& part : mean.mine())
                mean.add(1, static_cast<double>(part.index), true);
            mean.sum();
            CHECK(mean.loss() == 2.5);
            CHECK(mean.factor() == 1.0 / 6);
        });
        CHECK(said[0].find("micro-batch 3, which rank 1 computed, is NaN or infinite") != std::string::npos);
        CHECK(said[1] == said[0]);
        CHECK(said[2] == said[0]);
    }
}

TEST_CASE("batch_mean: what is refused") {
    sluice::alone by;
    CHECK_THROWS_AS(batch_mean(by, 3, 0), std::invalid_argument);
    for (double const weight : {-1.0, infinity, std::numeric_limits<double>::quiet_NaN()})
        CHECK_THROWS_AS(batch_mean::check(weight), std::invalid_argument);
    CHECK_NOTHROW(batch_mean::check(0));
    batch_mean mean(by, 1, 1);
    CHECK_THROWS_AS(mean.sum(), std::logic_error);
    mean.add(1, 2, true);
    CHECK_THROWS_AS(mean.add(1, 2, true), std::logic_error);
    mean.start_again();
    mean.add(1, 3, true);
    mean.sum();
    CHECK(mean.loss() == 3);
    CHECK_THROWS_AS(sluice::run_ranks(2,
                                      [](sluice::transport& all) {
                                          batch_mean const other(all, 3, all.rank() == 0 ? 1 : 2);
                                          other.agree();
                                      }),
                    sluice::distributed_error);
}

} // namespace batch_mean_test
