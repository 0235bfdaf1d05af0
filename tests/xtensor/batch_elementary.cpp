// SPDX-License-Identifier: BSL-1.0
// Exponentials, logarithms, powers and the error function of batches against those of long double, over all
// exponents, and at edges.
#include <sluice/xtensor/simd/batch_elementary.hpp>

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

namespace activation = sluice::activation;
namespace operation = sluice::operation;
using sluice::xtensor::simd;

template <class S>
constexpr S infinity = std::numeric_limits<S>::infinity();
template <class S>
constexpr S nothing = std::numeric_limits<S>::quiet_NaN();
template <class S>
using bits_of = std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t>;

template <class F, class S, class... More>
std::vector<S> values(std::vector<S> z, More... more) {
    using function = typename sluice::xtensor::batch_function<F, sluice::xtensor::accurate>::type;
    std::size_t const count = z.size(), room = count + simd<S>::lanes;
    std::vector<S> found(room);
    z.resize(room, S(1)), (more.resize(room, S(1)), ...);
    for (std::size_t i = 0; i < count; i += simd<S>::lanes)
        simd<S>::store(function::value(simd<S>::load(z.data() + i), simd<S>::load(more.data() + i)...),
                       found.data() + i);
    found.resize(count);
    return found;
}
template <class F, class S, class... More>
S value(S z, More... more) {
    return values<F>(std::vector<S>{z}, std::vector<S>{more}...)[0];
}

/// About so many positive numbers that are finite, evenly among all bits: as many of each exponent, denormal
/// ones too.
template <class S>
std::vector<S> all_exponents(std::size_t count) {
    auto const last = std::bit_cast<bits_of<S>>(std::numeric_limits<S>::max());
    std::vector<S> all;
    for (bits_of<S> bits = 1, step = static_cast<bits_of<S>>(last / count); bits < last - step; bits += step)
        all.push_back(std::bit_cast<S>(bits));
    return all;
}

/// The difference in units of the last place of what is expected.
template <class S>
double ulps(S found, long double expected) {
    if (std::isnan(found) || std::isnan(expected))
        return std::isnan(found) && std::isnan(expected) ? 0 : infinity<double>;
    S const nearest = static_cast<S>(expected);
    if (std::isinf(nearest))
        return found == nearest ? 0 : infinity<double>;
    int const exponent =
        std::max(std::ilogb(expected == 0 ? 1 : expected), std::numeric_limits<S>::min_exponent - 1);
    return static_cast<double>(std::abs(static_cast<long double>(found) - expected) /
                               std::ldexp(1.0L, exponent - std::numeric_limits<S>::digits + 1));
}

/// The difference, relative to a number; among denormal ones, to the smallest normal one.
template <class S>
double relative(S found, long double expected, long double to) {
    auto const least = static_cast<long double>(std::numeric_limits<S>::min());
    double const off = static_cast<double>(std::abs(static_cast<long double>(found) - expected) /
                                           std::max(std::abs(to), least));
    return std::isnan(off) ? infinity<double> : off;
}
/// The largest difference of y[i] from exact(z[i]), relative to that.
template <class S, class F>
double worst_of(std::vector<S> const& z, std::vector<S> const& y, F const& exact) {
    double worst = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
        long double const expected = exact(static_cast<long double>(z[i]));
        worst = std::max(worst, relative(y[i], expected, expected));
    }
    return worst;
}

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

TEST_CASE_TEMPLATE("elementary: the error function, odd and never beyond 1, and what is made of it", S, float,
                   double) {
    auto z = all_exponents<S>(100'000);
    for (int k = 0; k <= 60'000; ++k)
        z.push_back(S(k) / 6000);
    auto negative = z;
    for (S& number : negative)
        number = -number;
    auto const y = values<operation::erf>(z), of_negative = values<operation::erf>(negative);
    auto const gelu = values<activation::gelu>(z), gelu_of_negative = values<activation::gelu>(negative);
    constexpr long double root_of_half = 0.707106781186547524400844L;
    double const bound = sizeof(S) == 4 ? 4e-7 : 2e-14;
    double worst = 0, worst_gelu = 0, worst_of_negative = 0;
    bool is_odd = true, is_bounded = true;
    for (std::size_t i = 0; i < z.size(); ++i) {
        auto const x = static_cast<long double>(z[i]);
        worst = std::max(worst, relative(y[i], std::erf(x), std::erf(x)));
        is_odd = is_odd && of_negative[i] == -y[i];
        is_bounded = is_bounded && y[i] >= 0 && y[i] <= 1;
        worst_gelu = std::max(worst_gelu, relative(gelu[i], x * (1 + std::erf(x * root_of_half)) / 2, x));
        // There 1 and a number that is nearly -1 are added: the error is relative to z.
        worst_of_negative = std::max(worst_of_negative,
                                     relative(gelu_of_negative[i], -x * std::erfc(x * root_of_half) / 2, x));
    }
    CHECK(worst < bound);
    CHECK(worst_gelu < bound);
    CHECK(worst_of_negative < bound);
    CHECK(is_odd);
    CHECK(is_bounded);
    for (S const large : {S(7), S(20), S(1e30), std::numeric_limits<S>::max(), infinity<S>}) {
        CHECK(value<operation::erf>(large) == 1);
        CHECK(value<operation::erf>(-large) == -1);
        CHECK(value<activation::gelu>(2 * large) == 2 * large);
    }
    CHECK(std::isnan(value<operation::erf>(nothing<S>)));
    CHECK(std::isnan(value<activation::gelu>(-nothing<S>)));
}

} // namespace elementary_test
