// SPDX-License-Identifier: BSL-1.0
// The instructions of a block one by one, on batches of each width: what they read, and what they give.
#include <sluice/xtensor/instruction.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/expr/elementary.hpp>
#include <sluice/expr/reduction.hpp>
#include <sluice/expr/scan.hpp>
#include <sluice/simd/batch_elementary.hpp>
#include <support/own_block.hpp>
#include <vector>

namespace instruction_test {

namespace {

using sluice::xtensor::instructions, sluice::xtensor::simd, sluice::xtensor::widest;
using size = std::size_t;

/// Its order of operands shows, and its name does not say so.
struct minus_twice {
    template <class T>
    static T value(T a, T b) {
        return a - T(2) * b;
    }
};
/// Of scalars only.
struct stairs {
    template <std::floating_point T>
    static T value(T z) {
        return z > 3 ? T(10) : z;
    }
};

/// Registers 0 and 1 are loaded; what is computed has those from 2 on.
struct every_kind {
    using operations =
        support::own_operations<minus_twice, stairs, sluice::operation::sum, sluice::operation::largest,
                                sluice::operation::cumulative_sum, sluice::operation::reverse_cumulative_sum>;
    static constexpr auto plan = support::make_block(
        {false, true},
        {support::number(0.1), support::features(), support::apply(0, 0, 0, 1), support::apply(0, 0, 1, 0),
         support::apply(1, 0, 0), support::spread(1), support::reduce(2, 0, 0), support::reduce(3, 0, 0),
         support::of_row(sluice::op::reduce_groups, 3, 0, 0), support::of_row(sluice::op::scan, 4, 0, 0),
         support::of_row(sluice::op::scan, 5, 0, 0), support::of_row(sluice::op::reduce_groups, 2, 0, 0)},
        {{.from = 4}});
};
using program = sluice::block_program<every_kind, 0>;

template <class S, size Lanes>
std::array<S, Lanes> numbers_of(typename simd<S, Lanes>::type const& z) {
    std::array<S, Lanes> all;
    simd<S, Lanes>::store(z, all.data());
    return all;
}

/// f.operator()<L>() for the widest batch, one of 16 bytes, and the scalar.
template <class S, class F>
void for_widths(F const& f) {
    f.template operator()<widest<S>>();
    f.template operator()<16 / sizeof(S)>();
    f.template operator()<1>();
}

} // namespace

TEST_CASE_TEMPLATE("instruction: numbers, counts, copies, and functions of the registers in their order", S,
                   float, double) {
    for_widths<S>([]<size L> {
        using code = instructions<program, S, L>;
        std::array<size, 12> counts{};
        counts[1] = 57;
        std::array<S, L> element;
        for (size i = 0; i < L; ++i)
            element[i] = S(i) + S(0.5);
        auto const operand = [&](auto r) {
            static_assert(r < 2);
            return r == 0 ? simd<S, L>::load(element.data()) : typename simd<S, L>::type(S(7));
        };
        auto const number = numbers_of<S, L>(code::template compute<0>(counts.data(), operand));
        auto const features = numbers_of<S, L>(code::template compute<1>(counts.data(), operand));
        auto const forth = numbers_of<S, L>(code::template compute<2>(counts.data(), operand));
        auto const back = numbers_of<S, L>(code::template compute<3>(counts.data(), operand));
        auto const of_scalars = numbers_of<S, L>(code::template compute<4>(counts.data(), operand));
        auto const copy = numbers_of<S, L>(code::template compute<5>(counts.data(), operand));
        for (size i = 0; i < L; ++i) {
            CHECK(number[i] == static_cast<S>(0.1));
            CHECK(features[i] == 57);
            CHECK(forth[i] == element[i] - 14);
            CHECK(back[i] == 7 - 2 * element[i]);
            CHECK(of_scalars[i] == (element[i] > 3 ? S(10) : element[i]));
            CHECK(copy[i] == 7);
        }
    });
}

TEST_CASE_TEMPLATE("instruction: a reduction folds its lanes, as many of them as there are features", S,
                   float, double) {
    for_widths<S>([]<size L> {
        using code = instructions<program, S, L>;
        std::array<S, L> a, b;
        for (size i = 0; i < L; ++i)
            a[i] = S(i + 1), b[i] = i % 2 == 0 ? S(-5) : S(20);
        auto const x = simd<S, L>::load(a.data()), y = simd<S, L>::load(b.data());
        auto const sums = numbers_of<S, L>(code::template combine<6>(x, y));
        auto const larger = numbers_of<S, L>(code::template combine<7>(x, y));
        for (size i = 0; i < L; ++i) {
            CHECK(sums[i] == a[i] + b[i]);
            CHECK(larger[i] == std::max(a[i], b[i]));
        }
        for (size count = 1; count <= L; ++count) {
            auto const sum = numbers_of<S, L>(code::template fold<6>(x, count));
            auto const last = numbers_of<S, L>(code::template fold<7>(x, count));
            for (size i = 0; i < L; ++i) { // in each lane the same
                CHECK(sum[i] == S(count * (count + 1) / 2));
                CHECK(last[i] == S(count));
            }
        }
        CHECK(numbers_of<S, L>(code::template fold<6>(x))[0] == S(L * (L + 1) / 2));
        CHECK(numbers_of<S, L>(code::template fold<7>(x, 1000))[0] == S(L));
    });
}

TEST_CASE_TEMPLATE(
    "instruction: a function of a row: of each group its largest or its sum, and the sums up to each", S,
    float, double) {
    for_widths<S>([]<size L> {
        using code = instructions<program, S, L>;
        for (size part = 1; part <= 2 * L + 3; ++part) {
            size const count = 3 * part;
            std::vector<S> z(count), largest(count + 1, S(-1)), sums = largest, up = largest, down = largest;
            for (size i = 0; i < count; ++i)
                z[i] = S(i * 7 % 11) - S(20); // a start that is 0 would be larger
            std::array<size, 12> counts{};
            counts[8] = counts[11] = part;
            S const* const rows[] = {z.data()};
            code::template of_row<8>(counts.data(), rows, largest.data(), count);
            code::template of_row<11>(counts.data(), rows, sums.data(), count);
            code::template of_row<9>(counts.data(), rows, up.data(), count);
            code::template of_row<10>(counts.data(), rows, down.data(), count);
            bool as_expected = true;
            for (size i = 0; i < count; ++i) {
                S const *const first = z.data() + i / part * part, *const end = first + part;
                S sum = 0, before = 0, after = 0;
                std::for_each(first, end, [&](S one) { sum += one; });
                std::for_each(z.data(), z.data() + i + 1, [&](S one) { before += one; });
                std::for_each(z.data() + i, z.data() + count, [&](S one) { after += one; });
                as_expected = as_expected && largest[i] == *std::max_element(first, end) && sums[i] == sum &&
                              up[i] == before && down[i] == after;
            }
            CAPTURE(part);
            CHECK(as_expected);
            CHECK((largest[count] == -1 && sums[count] == -1 && up[count] == -1 && down[count] == -1));
        }
    });
}

TEST_CASE_TEMPLATE("instruction: a cumulative sum is one of as many numbers as there are", S, float, double) {
    for (std::size_t count = 0; count < 41; ++count) {
        CAPTURE(count);
        std::vector<S> z(count), y(count + 1, S(-1)), reversed(count + 1, S(-1));
        for (std::size_t i = 0; i < count; ++i)
            z[i] = S(1 + i * i % 7); // whole numbers: any order gives the same
        sluice::xtensor::scan_parts<sluice::operation::cumulative_sum>(z.data(), y.data(), count);
        sluice::xtensor::scan_parts<sluice::operation::reverse_cumulative_sum>(z.data(), reversed.data(),
                                                                               count);
        S before = 0, after = 0;
        for (std::size_t i = 0; i < count; ++i) {
            CHECK(y[i] == (before += z[i]));
            CHECK(reversed[count - 1 - i] == (after += z[count - 1 - i]));
        }
        CHECK(y[count] == -1);
        CHECK(reversed[count] == -1);
    }
}

TEST_CASE("instruction: what is no number is none in all sums that it is a part of, and in no other") {
    std::vector<double> z(23, 1), y(23);
    z[9] = std::numeric_limits<double>::quiet_NaN();
    for (bool const reversed : {false, true}) {
        reversed
            ? sluice::xtensor::scan_parts<sluice::operation::reverse_cumulative_sum>(z.data(), y.data(), 23)
            : sluice::xtensor::scan_parts<sluice::operation::cumulative_sum>(z.data(), y.data(), 23);
        for (std::size_t i = 0; i < 23; ++i)
            CHECK((y[i] != y[i]) == (reversed ? i <= 9 : i >= 9));
    }
}

TEST_CASE("instruction: each number once, in order, as a constant") {
    std::vector<int> found;
    sluice::xtensor::for_each_number<5>([&](auto i) {
        static_assert(decltype(i)::value < 5);
        found.push_back(i);
    });
    sluice::xtensor::for_each_number<0>([&](auto) { FAIL("there is none"); });
    CHECK(found == std::vector{0, 1, 2, 3, 4});
}

/// z to the power of 1/2, 1/16, 1/32 and 0.3.
struct roots {
    using operations = support::own_operations<sluice::operation::power>;
    static constexpr auto plan =
        support::make_block({false},
                            {support::number(0.5), support::number(0.0625), support::number(0.03125),
                             support::number(0.3), support::apply(0, 0, 0, 1), support::apply(0, 0, 0, 2),
                             support::apply(0, 0, 0, 3), support::apply(0, 0, 0, 4)},
                            {{.from = 5}});
};

TEST_CASE_TEMPLATE("instruction: powers whose exponents are a constant", S, float, double) {
    using powers = sluice::block_program<roots, 0>;
    std::array<size, powers::codes> counts{};
    for_widths<S>([&]<size L> {
        using batch = typename simd<S, L>::type;
        using with = instructions<powers, S, L>;
        S const nothing = std::numeric_limits<S>::quiet_NaN(), infinity = std::numeric_limits<S>::infinity();
        for (S const z : {S(0.7), S(1), S(3e30), std::numeric_limits<S>::denorm_min(), S(0), -S(0), infinity,
                          S(-2), nothing}) {
            CAPTURE(z);
            auto const check = [&](batch const& found, double exponent) {
                S const expected = static_cast<S>(std::pow(static_cast<long double>(z), exponent));
                for (S const y : numbers_of<S, L>(found)) {
                    CHECK(std::isnan(y) == std::isnan(expected));
                    CHECK((std::isnan(y) || !std::signbit(y)));
                    if (std::isfinite(expected))
                        CHECK(std::abs(y - expected) <= 512 * std::numeric_limits<S>::epsilon() * expected);
                    else if (!std::isnan(expected))
                        CHECK(y == expected);
                }
            };
            auto const operand = [&](auto r) {
                std::array const exponents{0.0, 0.5, 0.0625, 0.03125, 0.3};
                return r() == 0 ? batch(z) : batch(static_cast<S>(exponents[static_cast<size>(r())]));
            };
            check(with::template compute<4>(counts.data(), operand), 0.5);
            check(with::template compute<5>(counts.data(), operand), 0.0625);
            check(with::template compute<6>(counts.data(), operand), 0.03125);
            check(with::template compute<7>(counts.data(), operand), static_cast<double>(S(0.3)));
        }
    });
}

} // namespace instruction_test
