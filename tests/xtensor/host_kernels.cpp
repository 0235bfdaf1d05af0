// SPDX-License-Identifier: BSL-1.0
// What the planned lowering asks of its kernels beside products: memory, sums over rows, copies, zeros, and
// which functions a block computes.
#include <sluice/xtensor/fast.hpp>
#include <sluice/xtensor/host_kernels.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <initializer_list>
#include <limits>
#include <random>
#include <support/own_block.hpp>
#include <support/random_numbers.hpp>
#include <vector>

namespace kernels_test {

namespace {

using sluice::xtensor::fast_kernels, sluice::xtensor::kernels, sluice::xtensor::simd;
using size = std::size_t;
using counts = std::initializer_list<size>;

static_assert(sluice::kernels_for<kernels, float> && sluice::kernels_for<kernels, double>);
static_assert(sluice::kernels_for<fast_kernels, float> && sluice::packs_parts<kernels, float>);
static_assert(kernels::is_host && kernels::packs);

struct squashed {
    using operations = support::own_operations<sluice::activation::tanh, sluice::activation::sigmoid>;
    static constexpr auto plan = support::make_block(
        {false}, {support::apply(0, 0, 0), support::apply(1, 0, 0)}, {{.from = 1}, {.from = 2}});
};

/// tanh and sigmoid of one number, by a block.
template <class Kernels, class S>
std::array<S, 2> squash(S z) {
    std::array<S, 2> y{};
    using operand = typename sluice::block_frame<S>::operand;
    operand const in{.data = &z, .number = S(0)};
    std::array<operand, 2> const out{{{.data = &y[0], .number = S(0)}, {.data = &y[1], .number = S(0)}}};
    std::array<size, 3> const features{};
    Kernels().template pointwise<sluice::block_program<squashed, 0>>(
        sluice::block_frame<S>{.loads = &in, .stores = out.data(), .rows = 1, .counts = features.data()});
    return y;
}

} // namespace

TEST_CASE_TEMPLATE(
    "kernels: memory begins with a line of the cache, also that of no numbers, and is the host's", S, float,
    double) {
    for (size const count : counts{0, 1, 1000}) {
        S* const memory = kernels::allocate<S>(count);
        CHECK(reinterpret_cast<std::uintptr_t>(memory) % 64 == 0);
        std::vector<S> host(count + 1, S(3)), back(count + 1, S(-1));
        kernels::upload(count, host.data(), memory);
        kernels::download(count, memory, back.data());
        kernels::wait();
        CHECK(std::count(back.begin(), back.end(), S(3)) == static_cast<std::ptrdiff_t>(count));
        CHECK(back[count] == -1);
        kernels::release(memory, count);
    }
}

TEST_CASE_TEMPLATE("kernels: sums over rows in their order, copies and zeros, of every width", S, float,
                   double) {
    std::mt19937 from(3);
    std::vector<size> widths{0, 1, 3};
    for (size n = simd<S>::lanes; n <= 9 * simd<S>::lanes; n += simd<S>::lanes)
        widths.insert(widths.end(), {n - 1, n, n + 1});
    for (size const n : widths)
        for (size const m : counts{0, 1, 4, 11}) {
            CAPTURE(n);
            CAPTURE(m);
            size const lda = n + 2, ldc = n + 3;
            auto const a = support::random_numbers<S>(m * lda + 1, from),
                       before = support::random_numbers<S>(m * ldc + n + 1, from);
            auto sums = before, more = before, copied = before, cleared = before, repeated = before;
            kernels::total(m, n, a.data(), lda, sums.data(), false);
            kernels::total(m, n, a.data(), lda, more.data(), true);
            kernels::copy(m, n, a.data(), lda, copied.data(), ldc);
            kernels::copy(m, n, a.data(), 0, repeated.data(), ldc); // rows that are all the same
            kernels::clear(m, n, cleared.data(), ldc);
            bool as_expected = true;
            for (size i = 0; i < before.size(); ++i) {
                S sum = i < n ? S(0) : before[i], added = before[i];
                for (size r = 0; r < m && i < n; ++r) {
                    sum += a[r * lda + i];
                    added += a[r * lda + i];
                }
                size const r = i / ldc, c = i % ldc;
                bool const is_mine = r < m && c < n;
                as_expected = as_expected && sums[i] == sum && more[i] == added &&
                              copied[i] == (is_mine ? a[r * lda + c] : before[i]) &&
                              repeated[i] == (is_mine ? a[c] : before[i]) &&
                              cleared[i] == (is_mine ? S(0) : before[i]);
            }
            CHECK(as_expected);
        }
    kernels::total<S>(3, 0, nullptr, 0, nullptr, false);
    kernels::copy<S>(3, 0, nullptr, 0, nullptr, 0);
    kernels::clear<S>(3, 0, nullptr, 0);
}

TEST_CASE_TEMPLATE("kernels: a product of a row of constant extents, from any column on", S, float, double) {
    std::mt19937 from(4);
    constexpr size rows = 9, columns = 50, n = 21, k = 6;
    auto const w = support::random_numbers<S>(rows * columns, from), a = support::random_numbers<S>(k, from),
               before = support::random_numbers<S>(n + 1, from);
    auto const packed = kernels::pack<S>({1, rows, columns}, w.data(), false);
    auto const check = [&]<size Row, size Column> {
        for (bool const add : {false, true})
            for (bool const last_first : {false, true}) {
                auto c = before;
                kernels::product_of_row<n, k, Row, Column>(a.data(), packed, c.data(), add, last_first);
                for (size i = 0; i < n; ++i) {
                    double sum = add ? static_cast<double>(before[i]) : 0;
                    for (size j = 0; j < k; ++j)
                        sum += static_cast<double>(a[j]) *
                               static_cast<double>(w[(Row + j) * columns + Column + i]);
                    CHECK(std::abs(static_cast<double>(c[i]) - sum) <
                          32 * static_cast<double>(std::numeric_limits<S>::epsilon()));
                }
                CHECK(c[n] == before[n]);
            }
    };
    check.template operator()<0, 0>();
    check.template operator()<2, 16>();
    check.template operator()<3, 7>(); // no whole vectors
    check.template operator()<0, 29>();
}

TEST_CASE_TEMPLATE(
    "kernels: a block computes activations accurately, or approximately where that is asked for", S, float,
    double) {
    double const rounding = 4 * static_cast<double>(std::numeric_limits<S>::epsilon());
    for (S const z : {S(-3), S(-0.7), S(0.4), S(1.3), S(4)}) {
        std::array<double, 2> const exact{std::tanh(static_cast<double>(z)),
                                          1 / (1 + std::exp(-static_cast<double>(z)))};
        auto const y = squash<kernels>(z), near = squash<fast_kernels>(z);
        for (size i = 0; i < 2; ++i) {
            CHECK(std::abs(static_cast<double>(y[i]) - exact[i]) < rounding);
            CHECK(std::abs(static_cast<double>(near[i]) - exact[i]) < 6e-5);
        }
        CHECK(near != y);
    }
}

#if defined(__x86_64__) || defined(__aarch64__)
TEST_CASE("kernels: in a session denormal numbers are zeros") {
    float volatile const small = std::numeric_limits<float>::min();
    {
        auto const session = kernels::session();
        CHECK(small / 2 == 0);
    }
    CHECK(small / 2 != 0);
}
#endif

} // namespace kernels_test
