// SPDX-License-Identifier: BSL-1.0
// Sums of many small numbers in 16 bits: they grow to the end, and are rounded once.
#include <sluice/execute/wide_sums.hpp>

#include <array>
#include <doctest/doctest.h>
#include <memory>
#include <sluice/core/half.hpp>

namespace wide_sums_test {

namespace {

/// Kernels that can widen numbers, in memory that passes for that of a device.
struct widening_kernels : sluice::no_kernels {
    static constexpr bool is_host = false;
    template <class S>
    static S* allocate(std::size_t count) {
        return new S[count]();
    }
    template <class S>
    static void release(S* p, std::size_t) {
        delete[] p;
    }
    template <class From, class By, class To>
    void arrange(std::size_t rows, std::size_t columns, double factor, sluice::strided<From const> const& a,
                 sluice::strided<By const> const& by, bool divide, sluice::strided<To> const& to,
                 bool add) const {
        sluice::host_numbers{}.arrange(rows, columns, factor, a, by, divide, to, add);
    }
};
struct host_kernels : widening_kernels {
    static constexpr bool is_host = true;
};
/// Of a device, that cannot.
struct narrow_kernels : sluice::no_kernels {
    static constexpr bool is_host = false;
};

using sluice::bfloat16;
using sums = sluice::wide_sums<bfloat16, widening_kernels>;

} // namespace

TEST_CASE("wide sums: they are needed of few digits, and where the host or kernels can widen them") {
    CHECK(sums::are_needed);
    CHECK(!sluice::wide_sums<float, widening_kernels>::are_needed);
    CHECK(!sluice::wide_sums<float, host_kernels>::are_needed);
    CHECK(sluice::wide_sums<bfloat16, host_kernels>::are_needed);
    CHECK(!sluice::wide_sums<bfloat16, narrow_kernels>::are_needed);
}

TEST_CASE_TEMPLATE("wide sums: what each step adds counts, and two sums do not meet", Kernels,
                   widening_kernels, host_kernels) {
    auto const pool = std::make_shared<sluice::memory_pool<bfloat16, Kernels>>();
    std::array<bfloat16, 3> three{};
    std::array<bfloat16, 1> one{};
    sluice::wide_sums<bfloat16, Kernels> all;
    for (int run = 0; run < 2; ++run) { // begins with zeros again
        all.clear();
        three.fill(bfloat16(77.f)), one.fill(bfloat16(77.f));
        all.begin(pool, three.data(), three.size());
        all.begin(pool, one.data(), one.size());
        for (int step = 0; step < 700; ++step)
            all.add(pool->kernels(), three.data(), [&](bfloat16* to) {
                for (std::size_t i = 0; i < 3; ++i)
                    to[i] = bfloat16(static_cast<float>(i));
            });
        all.add(pool->kernels(), one.data(), [](bfloat16* to) { *to = bfloat16(-2.f); });
        all.finish(pool->kernels());
        CHECK(sluice::widened(three[0]) == 0);
        CHECK(sluice::widened(three[1]) == sluice::widened(bfloat16(700.f)));
        CHECK(sluice::widened(three[2]) == sluice::widened(bfloat16(1400.f)));
        CHECK(sluice::widened(one[0]) == -2);
    }
}

} // namespace wide_sums_test
