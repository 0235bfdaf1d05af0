// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <sluice/execute/pool.hpp>
#include <sluice/xtensor/host_kernels.hpp>
#include <thread>

namespace pool_test {

namespace {

template <class S>
using memory_pool = sluice::memory_pool<S, sluice::xtensor::kernels>;
template <class S>
using scratch = sluice::scratch<S, sluice::xtensor::kernels>;

} // namespace

TEST_CASE("pool: a pool hands out again what came back, if it fits") {
    auto const pool = std::make_shared<memory_pool<double>>();
    double const* first = nullptr;
    {
        scratch<double> const block(pool, 100);
        first = block.data();
        CHECK(block.size() == 100);
    }
    {
        scratch<double> const smaller(pool, 51);
        CHECK(smaller.data() == first);
        CHECK(smaller.size() == 51);
        scratch<double> const other(pool, 51); // the block is in use
        CHECK(other.data() != first);
    }
    scratch<double> const far_smaller(pool, 20);
    CHECK(far_smaller.data() != first);
    scratch<double> const larger(pool, 101);
    CHECK(larger.data() != first);
}

TEST_CASE("pool: blocks move, outlive their cell and may be empty") {
    scratch<float> kept;
    CHECK(kept.size() == 0);
    {
        auto const pool = std::make_shared<memory_pool<float>>();
        scratch<float> block(pool, 7);
        block.data()[6] = 3;
        kept = std::move(block);
        scratch<float> const nothing(pool, 0);
        CHECK(nothing.size() == 0);
    }
    CHECK(kept.size() == 7);
    CHECK(kept.data()[6] == 3);
}

TEST_CASE_TEMPLATE("pool: where assertions are on, a block starts as NaN, a used one too", S, float, double) {
#if defined(NDEBUG) && defined(SLUICE_SANITIZED)
    FAIL("The tests with sanitizers are those with assertions; build them without NDEBUG.");
#elif !defined(NDEBUG)
    auto const pool = std::make_shared<memory_pool<S>>();
    S const* used = nullptr;
    for (int again = 0; again < 2; ++again) {
        scratch<S> const block(pool, 9);
        CHECK(std::all_of(block.data(), block.data() + 9, [](S value) { return std::isnan(value); }));
        CHECK((used == nullptr || used == block.data()));
        used = block.data();
        std::fill_n(block.data(), 9, S(1));
    }
#endif
}

TEST_CASE("pool: threads share a pool") {
    auto const pool = std::make_shared<memory_pool<int>>();
    auto const work = [&](int mark) {
        for (std::size_t i = 1; i < 2000; ++i) {
            scratch<int> const block(pool, i % 97 + 1);
            std::fill_n(block.data(), block.size(), mark);
            for (std::size_t k = 0; k < block.size(); ++k)
                if (block.data()[k] != mark)
                    return false;
        }
        return true;
    };
    bool left = false, right = false;
    std::thread other([&] { left = work(1); });
    right = work(2);
    other.join();
    CHECK(left);
    CHECK(right);
}

} // namespace pool_test
