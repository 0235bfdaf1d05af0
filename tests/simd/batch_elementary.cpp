// SPDX-License-Identifier: BSL-1.0
// Exponentials, logarithms and powers of batches against those of long double, over all exponents, and at
// edges.
#include <sluice/expr/elementary.hpp>
#include <sluice/simd/batch_elementary.hpp>
#include <support/elementary.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <vector>

namespace elementary_test {

namespace {

namespace operation = sluice::operation;
using elementary::all_exponents, elementary::bits_of, elementary::infinity, elementary::nothing,
    elementary::relative, elementary::ulps, elementary::value, elementary::values, elementary::worst_of;

} // namespace

TEST_CASE_TEMPLATE("elementary: the exponential is as exact as it says, for numbers of every exponent", S,
                   float, double) {
    constexpr auto least = static_cast<long double>(std::numeric_limits<S>::min()),
                   most = static_cast<long double>(std::numeric_limits<S>::max());
    auto z = all_exponents<S>(100'000);
    for (int k = 0; k <= 200'000; ++k)
        z.push_back(S(k) * (sizeof(S) == 4 ? S(90) : S(712)) / 200'000);
    for (std::size_t i = 0, count = z.size(); i < count; ++i)
        z.push_back(-z[i]);
    auto const y = values<operation::exp>(z);
    double const bound = sizeof(S) == 4 ? 1e-7 : 2e-16;
    double worst = 0;
    bool ends = true;
    for (std::size_t i = 0; i < z.size(); ++i) {
        long double const exact = std::exp(static_cast<long double>(z[i]));
        if (exact < least)
            ends = ends && (y[i] == 0 || exact > least * (1 - 4 * std::numeric_limits<S>::epsilon()));
        else if (exact > most)
            ends = ends && y[i] == infinity<S>;
        else
            worst = std::max(worst, relative(y[i], exact, exact));
    }
    CHECK(worst < bound);
    CHECK(ends);
}

TEST_CASE_TEMPLATE("elementary: the exponential at its edges", S, float, double) {
    using exp = operation::exp;
    bool const is_float = sizeof(S) == 4;
    CHECK(value<exp>(S(0)) == 1);
    CHECK(value<exp>(S(-0.0)) == 1);
    CHECK(value<exp>(infinity<S>) == infinity<S>);
    CHECK(value<exp>(std::numeric_limits<S>::max()) == infinity<S>);
    CHECK(value<exp>(-infinity<S>) == 0);
    CHECK(value<exp>(-std::numeric_limits<S>::max()) == 0);
    for (S const none :
         {nothing<S>, -nothing<S>, std::bit_cast<S>(std::bit_cast<bits_of<S>>(nothing<S>) + 511)})
        CHECK(std::isnan(value<exp>(none)));
    CHECK(value<exp>(is_float ? S(88.722831) : S(709.78271289338397)) <= std::numeric_limits<S>::max());
    CHECK(value<exp>(is_float ? S(88.72284) : S(709.7827128933842)) == infinity<S>);
    CHECK(value<exp>(is_float ? S(-87.33654) : S(-708.3964185322640)) >= std::numeric_limits<S>::min());
    CHECK(value<exp>(is_float ? S(-87.33656) : S(-708.3964185322643)) == 0);
}

TEST_CASE_TEMPLATE("elementary: e^z - 1, also where that is small, and at its edges", S, float, double) {
    using expm1 = operation::expm1;
    S const last = sizeof(S) == 4 ? S(88.7) : S(709.7);
    auto z = all_exponents<S>(200'000);
    std::erase_if(z, [=](S x) { return x > last; });
    for (int k = 0; k <= 200'000; ++k)
        z.push_back(S(k) * last / 200'000);
    for (std::size_t i = 0, count = z.size(); i < count; ++i)
        z.push_back(-z[i]);
    auto const y = values<expm1>(z);
    double const bound = sizeof(S) == 4 ? 2e-7 : 4e-16;
    CHECK(worst_of(z, y, [](long double x) { return std::expm1(x); }) < bound);
    CHECK(value<expm1>(S(0)) == 0);
    for (S const large : {S(710), std::numeric_limits<S>::max(), infinity<S>}) {
        CHECK(value<expm1>(large) == infinity<S>);
        CHECK(value<expm1>(-large) == -1);
    }
    CHECK(std::isnan(value<expm1>(nothing<S>)));
}

TEST_CASE_TEMPLATE("elementary: the logarithm of 1 + z, also where that is nearly 1", S, float, double) {
    using log1p = operation::log1p;
    auto z = all_exponents<S>(200'000);
    for (std::size_t i = 0, count = z.size(); i < count; ++i)
        if (z[i] < 1)
            z.push_back(-z[i]);
    auto const y = values<log1p>(z);
    double const bound = sizeof(S) == 4 ? 2e-7 : 4e-16;
    CHECK(worst_of(z, y, [](long double x) { return std::log1p(x); }) < bound);
    CHECK(value<log1p>(S(0)) == 0);
    CHECK(value<log1p>(S(-1)) == -infinity<S>);
    CHECK(value<log1p>(infinity<S>) == infinity<S>);
    for (S const none : {S(-2), -infinity<S>, nothing<S>})
        CHECK(std::isnan(value<log1p>(none)));
}

TEST_CASE_TEMPLATE("elementary: the logarithm is as exact as it says, for numbers of every exponent", S,
                   float, double) {
    auto z = all_exponents<S>(400'000);
    for (int k = -20000; k <= 20000; ++k) // around 1, where it is small, and where the exponent changes
        for (S const middle : {S(1), S(0.70710678118654752L), S(1.4142135623730951L), S(2)})
            z.push_back(middle + S(k) * std::numeric_limits<S>::epsilon() * (k % 2 == 0 ? S(1) : S(64)));
    auto const y = values<operation::log>(z);
    double const bound = sizeof(S) == 4 ? 2e-7 : 4e-16;
    double worst = 0, worst_ulps = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        long double const exact = std::log(static_cast<long double>(z[i]));
        double const off = static_cast<double>(std::abs(static_cast<long double>(y[i]) - exact) /
                                               (exact == 0 ? 1 : std::abs(exact)));
        worst = off <= worst ? worst : off;
        worst_ulps = std::max(worst_ulps, ulps(y[i], exact));
    }
    CHECK(worst < bound);
    CHECK(worst_ulps < 2);
}

TEST_CASE_TEMPLATE("elementary: the logarithm at its edges", S, float, double) {
    using log = operation::log;
    CHECK(value<log>(S(1)) == 0);
    CHECK(value<log>(S(0)) == -infinity<S>);
    CHECK(value<log>(S(-0.0)) == -infinity<S>);
    CHECK(value<log>(infinity<S>) == infinity<S>);
    for (S const none : {S(-1), -std::numeric_limits<S>::denorm_min(), -std::numeric_limits<S>::max(),
                         -infinity<S>, nothing<S>, -nothing<S>})
        CHECK(std::isnan(value<log>(none)));
    for (S const z :
         {std::numeric_limits<S>::denorm_min(), std::numeric_limits<S>::min(), std::numeric_limits<S>::max()})
        CHECK(ulps(value<log>(z), std::log(static_cast<long double>(z))) < 2);
}

TEST_CASE_TEMPLATE("elementary: a power is in error by as many roundings as its logarithm is large", S, float,
                   double) {
    std::mt19937 from(5);
    double const most =
        0.9 * std::log(static_cast<double>(std::numeric_limits<S>::max())); // no result is denormal
    std::vector<S> a, b;
    std::uniform_real_distribution<double> logarithm(-most, most), exponent(-6, 6);
    for (int i = 0; i < 100'000; ++i) {
        double const power = exponent(from), of_result = logarithm(from);
        double const of_a = std::clamp(of_result / power, -most, most);
        a.push_back(static_cast<S>(std::exp(of_a)));
        b.push_back(static_cast<S>(power));
    }
    auto const y = values<operation::power>(a, b);
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        auto const x = static_cast<long double>(a[i]), p = static_cast<long double>(b[i]);
        double const roundings = 2 + 2 * std::abs(static_cast<double>(p * std::log(x)));
        worst = std::max(worst, ulps(y[i], std::pow(x, p)) / roundings);
    }
    CHECK(worst < 1);
}

TEST_CASE_TEMPLATE("elementary: powers of negative numbers, of zero and with zero", S, float, double) {
    using power = operation::power;
    S const close = 8 * std::numeric_limits<S>::epsilon();
    for (int n = -9; n <= 9; ++n) {
        S const expected = static_cast<S>(std::pow(-1.7L, n));
        CHECK(std::abs(value<power>(S(-1.7), S(n)) - expected) <= close * std::abs(expected));
    }
    S const even = S(2) / std::numeric_limits<S>::epsilon(); // from there on all numbers are
    CHECK(value<power>(S(-1), even) == 1);
    CHECK(value<power>(S(-1), even / 2 + 1) == -1);
    CHECK(std::isnan(value<power>(S(-1.7), S(0.5))));
    CHECK(std::isnan(value<power>(S(-1.7), S(-3) + S(0.25))));
    for (S const z : {S(0), S(-0.0), S(5), S(-5), infinity<S>, nothing<S>})
        CHECK(value<power>(z, S(0)) == 1);
    CHECK(value<power>(S(0), S(2.5)) == 0);
    CHECK(value<power>(S(0), S(-2.5)) == infinity<S>);
    CHECK(value<power>(infinity<S>, S(0.5)) == infinity<S>);
    CHECK(value<power>(infinity<S>, S(-0.5)) == 0);
    CHECK(std::isnan(value<power>(nothing<S>, S(2))));
    CHECK(std::isnan(value<power>(S(2), nothing<S>)));
    CHECK(value<power>(S(1), S(1000)) == 1);
}

} // namespace elementary_test
