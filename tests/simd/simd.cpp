// SPDX-License-Identifier: BSL-1.0
// Batches of each width that the machine has: where numbers go, what is rounded once, and functions that are
// written for scalars only.
#include <sluice/simd/simd.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <numeric>
#include <vector>

namespace simd_test {

namespace {

using sluice::batches::simd, sluice::batches::widest;
using size = std::size_t;

/// f.operator()<L>() for each number of lanes that a batch of S may have.
template <class S, size Lanes = widest<S>, class F>
void for_widths(F const& f) {
    CAPTURE(Lanes);
    f.template operator()<Lanes>();
    if constexpr (Lanes > 1)
        for_widths<S, (Lanes * sizeof(S) > 16 ? Lanes / 2 : 1)>(f);
}

template <class S, size Lanes>
std::array<S, Lanes> numbers_of(typename simd<S, Lanes>::type const& z) {
    std::array<S, Lanes> all;
    simd<S, Lanes>::store(z, all.data());
    return all;
}

/// Has no batches, and asks which of two numbers is larger.
struct larger_of {
    template <std::floating_point T>
    static T value(T a, T b) {
        return a > b ? a : b;
    }
};

} // namespace

// Machines with batches have them of at least 16 bytes.
static_assert(widest<float> == 2 * widest<double>);
static_assert(widest<float> % 4 == 0);
static_assert(widest<long double> == 1 && widest<int> == 1);
static_assert(sluice::batches::lanes_within<float>(widest<float>) == widest<float>);
static_assert(sluice::batches::lanes_within<float>(3 * widest<float>) == widest<float>);
static_assert(sluice::batches::lanes_within<float>(0) == widest<float>);
static_assert(sluice::batches::lanes_within<float>(12) == 4);
static_assert(sluice::batches::lanes_within<double>(6) == 2);
static_assert(sluice::batches::lanes_within<float>(6) == 1, "two floats are no batch");
static_assert(sluice::batches::lanes_within<float>((size(1) << 63) + 4) == 4);
static_assert(sluice::batches::lanes_within<double>((size(1) << 63) + 1) == 1);
static_assert(sluice::batches::lanes_within<long double>(64) == 1);
static_assert(sluice::batches::lanes_up_to<float>(0) == 1);
static_assert(sluice::batches::lanes_up_to<float>(3) == 1);
static_assert(sluice::batches::lanes_up_to<float>(5) == 4);
static_assert(sluice::batches::lanes_up_to<double>(1) == 1);
static_assert(sluice::batches::lanes_up_to<double>(3) == 2);
static_assert(sluice::batches::lanes_up_to<double>(~size(0)) == widest<double>);

TEST_CASE_TEMPLATE("simd: a batch is loaded from any address and stored to any, and nothing beside it", S,
                   float, double) {
    for_widths<S>([]<size L> {
        std::vector<S> from(3 * L + 3);
        std::iota(from.begin(), from.end(), S(1));
        for (size first = 0; first < L; ++first) {
            std::vector<S> to(4 * L + 3, S(-7)), expected = to;
            simd<S, L>::store(simd<S, L>::load(from.data() + first), to.data() + first + 1);
            simd<S, L>::store(simd<S, L>::rounded(simd<S, L>::load_once(from.data() + first + 1)),
                              to.data() + first + 2 * L);
            for (size i = 0; i < L; ++i) {
                expected[first + 1 + i] = S(first + i + 1);
                expected[first + 2 * L + i] = S(first + i + 2);
            }
            CHECK(to == expected);
        }
    });
}

TEST_CASE_TEMPLATE("simd: the transpose of as many rows as a batch has lanes, at any distance", S, float,
                   double) {
    for_widths<S>([]<size L> {
        for (size const gap : {size(0), size(3)}) {
            size const row = L + gap, to_row = L + 2 * gap;
            std::vector<S> from(L * row), to(L * to_row, S(-7));
            std::iota(from.begin(), from.end(), S(0));
            simd<S, L>::transpose(from.data(), row, to.data(), to_row);
            bool as_expected = true;
            for (size r = 0; r < L; ++r)
                for (size c = 0; c < to_row; ++c)
                    as_expected = as_expected && to[r * to_row + c] == (c < L ? S(c * row + r) : S(-7));
            CHECK(as_expected);
        }
    });
}

TEST_CASE_TEMPLATE("simd: the sums of as many rows as a batch has lanes", S, float, double) {
    for_widths<S>([]<size L> {
        std::vector<S> from(L * L);
        for (size i = 0; i < L * L; ++i)
            from[i] = S(i * i % 37); // whole numbers: in any order the sum is the same
        auto const found = numbers_of<S, L>(simd<S, L>::sums_of_rows(from.data()));
        for (size r = 0; r < L; ++r)
            CHECK(found[r] == std::accumulate(&from[r * L], &from[r * L] + L, S(0)));
    });
}

TEST_CASE_TEMPLATE("simd: a product and a sum, lane by lane", S, float, double) {
    for_widths<S>([]<size L> {
        using with = simd<S, L>;
        std::array<S, L> a, b, c;
        for (size i = 0; i < L; ++i)
            a[i] = S(i + 2), b[i] = S(3) - S(i), c[i] = S(100 * i);
        auto const sum = numbers_of<S, L>(
            with::multiply_add(with::load(a.data()), with::load(b.data()), with::load(c.data())));
        for (size i = 0; i < L; ++i)
            CHECK(sum[i] == a[i] * b[i] + c[i]);
        if constexpr (L > 1) {
            auto const less = numbers_of<S, L>(
                with::negated_multiply_add(with::load(a.data()), with::load(b.data()), with::load(c.data())));
            for (size i = 0; i < L; ++i)
                CHECK(less[i] == c[i] - a[i] * b[i]);
        }
    });
}

#if defined(__FMA__) || defined(__aarch64__)
TEST_CASE_TEMPLATE("simd: a product and a sum are rounded once, where the machine can", S, float, double) {
    S const e = std::numeric_limits<S>::epsilon();
    for_widths<S>([&]<size L> {
        if constexpr (L > 1) {
            using batch = typename simd<S, L>::type;
            // (1 + e)^2 = 1 + 2 e + e^2, of which a product that is rounded loses the last.
            for (S const y :
                 numbers_of<S, L>(simd<S, L>::multiply_add(batch(1 + e), batch(1 + e), batch(-1 - 2 * e))))
                CHECK(y == e * e);
            for (S const y : numbers_of<S, L>(
                     simd<S, L>::negated_multiply_add(batch(1 + e), batch(1 + e), batch(1 + 2 * e))))
                CHECK(y == -e * e);
            CHECK(simd<S, L>::fuses);
        }
    });
}
#endif

TEST_CASE("simd: the bits of a batch, those of a NaN and of -0 too") {
    using batch = simd<float>::type;
    using integers = sluice::batches::batch<std::int32_t, batch::size>;
    std::array<std::int32_t, batch::size> bits;
    for (size i = 0; i < bits.size(); ++i)
        bits[i] = i % 4 == 0 ? INT32_MIN : i % 4 == 1 ? 0x7fc12345 : i % 4 == 2 ? 1 : 0x3f800000;
    auto const numbers = sluice::batches::bits_as<batch>(integers::load(bits.data()));
    auto const found = numbers_of<float, batch::size>(numbers);
    CHECK(std::signbit(found[0]));
    CHECK(found[0] == 0);
    CHECK(std::isnan(found[1]));
    CHECK(found[2] == std::numeric_limits<float>::denorm_min());
    CHECK(found[3] == 1);
    std::array<std::int32_t, batch::size> again;
    sluice::batches::bits_as<integers>(numbers).store(again.data());
    CHECK(again == bits);
}

TEST_CASE_TEMPLATE("simd: a function of scalars is called lane by lane, one of batches once", S, float,
                   double) {
    for_widths<S>([]<size L> {
        std::array<S, L> a, b;
        for (size i = 0; i < L; ++i)
            a[i] = S(i * i), b[i] = S(2 * i + 1);
        auto const x = simd<S, L>::load(a.data()), y = simd<S, L>::load(b.data());
        size calls = 0;
        auto const larger = [&](auto const& p, auto const& q) -> decltype(larger_of::value(p, q)) {
            ++calls;
            return larger_of::value(p, q);
        };
        auto const found = numbers_of<S, L>(sluice::batches::lane_by_lane<S, L>(larger, x, y));
        for (size i = 0; i < L; ++i)
            CHECK(found[i] == std::max(a[i], b[i]));
        CHECK(calls == L);
        calls = 0;
        auto const sum = numbers_of<S, L>(sluice::batches::lane_by_lane<S, L>(
            [&](auto const& p, auto const& q) { return ++calls, p + q; }, x, y));
        for (size i = 0; i < L; ++i)
            CHECK(sum[i] == a[i] + b[i]);
        CHECK(calls == 1);
    });
}

} // namespace simd_test
