// SPDX-License-Identifier: BSL-1.0
// Functions of batches of every width against those of the C library, and at the edges of where they are
// defined: called without a namespace, as a function template of plain numbers calls them.
#include <sluice/expr/activation.hpp>
#include <sluice/expr/elementary.hpp>
#include <sluice/simd/batch_elementary.hpp>
#include <sluice/xtensor/simd/activations.hpp>
#include <sluice/xtensor/simd/long_functions.hpp>
#include <support/elementary.hpp>
#include <support/widths.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <vector>

namespace long_functions_test {

namespace {

using sluice::xtensor::batch, sluice::xtensor::widest;
// What a function template of plain numbers would say; those of batches are found beside them.
using std::acos, std::acosh, std::asin, std::asinh, std::atan, std::atan2, std::atanh, std::cbrt, std::cos,
    std::cosh, std::erf, std::erfc, std::exp, std::exp2, std::expm1, std::fmod, std::hypot, std::lgamma,
    std::log, std::log10, std::log1p, std::log2, std::pow, std::remainder, std::sin, std::sinh, std::tan,
    std::tanh, std::tgamma;
using size = std::size_t;
using widths::for_widths;

using elementary::infinity, elementary::nothing;

/// The largest difference of f from that of long double, among so many numbers from one to another in each
/// lane, relative to the value or to 1, whichever is larger, in epsilons.
template <class S, size L, class F>
double error(F const& f, double from, double to) {
    double worst = 0;
    constexpr size count = 4096 / L;
    for (size i = 0; i < count; ++i) {
        std::array<S, L> z, y;
        for (size k = 0; k < L; ++k)
            z[k] = static_cast<S>(from + (to - from) * static_cast<double>(i + k * count) / 4096);
        f(batch<S, L>::load(z.data())).store(y.data());
        for (size k = 0; k < L; ++k) {
            long double const expected = f(static_cast<long double>(z[k]));
            double const off = static_cast<double>(std::abs(static_cast<long double>(y[k]) - expected) /
                                                   std::max(std::abs(expected), 1.0L));
            worst = off <= worst ? worst : off;
        }
    }
    return worst / static_cast<double>(std::numeric_limits<S>::epsilon());
}
/// Also where one is no number.
template <class S, class F>
void check(F const& f, double from, double to, double bound = 8) {
    for_widths<S>([&]<size L> {
        CHECK(error<S, L>(f, from, to) < bound);
        std::array<S, L> y;
        f(batch<S, L>(nothing<S>)).store(y.data());
        CHECK(std::all_of(y.begin(), y.end(), [](S z) { return std::isnan(z); }));
    });
}
/// f of one number, in the first lane of the widest.
template <class S>
S at(auto const& f, S z) {
    std::array<S, widest<S>> y;
    f(batch<S, widest<S>>(z)).store(y.data());
    return y[0];
}

} // namespace

TEST_CASE_TEMPLATE("long_functions: exponentials and logarithms", S, float, double) {
    check<S>([](auto z) { return exp(z); }, -80, 80);
    check<S>([](auto z) { return exp2(z); }, -100, 100);
    check<S>([](auto z) { return expm1(z); }, -20, 20);
    check<S>([](auto z) { return log(z); }, 0.01, 90);
    check<S>([](auto z) { return log1p(z); }, -0.9, 90);
    check<S>([](auto z) { return log2(z); }, 0.01, 90);
    check<S>([](auto z) { return log10(z); }, 0.01, 90);
}

TEST_CASE_TEMPLATE("long_functions: of angles", S, float, double) {
    check<S>([](auto z) { return sin(z); }, -30, 30);
    check<S>([](auto z) { return cos(z); }, -30, 30);
    check<S>([](auto z) { return tan(z); }, -1.5, 1.5);
    check<S>([](auto z) { return asin(z); }, -1, 1);
    check<S>([](auto z) { return acos(z); }, -1, 1);
    check<S>([](auto z) { return atan(z); }, -30, 30);
}

TEST_CASE_TEMPLATE("long_functions: hyperbolic ones", S, float, double) {
    check<S>([](auto z) { return sinh(z); }, -20, 20);
    check<S>([](auto z) { return cosh(z); }, -20, 20);
    check<S>([](auto z) { return tanh(z); }, -20, 20);
    check<S>([](auto z) { return asinh(z); }, -30, 30);
    check<S>([](auto z) { return acosh(z); }, 1, 30);
    check<S>([](auto z) { return atanh(z); }, -0.99, 0.99);
}

TEST_CASE_TEMPLATE("long_functions: of errors, of factorials, roots", S, float, double) {
    check<S>([](auto z) { return erf(z); }, -6, 6, 100);
    check<S>([](auto z) { return erfc(z); }, -3, 3, 100);
    check<S>([](auto z) { return tgamma(z); }, 0.5, 9);
    check<S>([](auto z) { return lgamma(z); }, 0.5, 30);
    check<S>([](auto z) { return cbrt(z); }, -30, 30);
}

TEST_CASE_TEMPLATE("long_functions: of two numbers", S, float, double) {
    check<S>([](auto z) { return atan2(z, decltype(z)(1.5)); }, -9, 9);
    check<S>([](auto z) { return hypot(z, decltype(z)(1.5)); }, -9, 9);
    check<S>([](auto z) { return fmod(z, decltype(z)(1.75)); }, -9, 9);
    check<S>([](auto z) { return remainder(z, decltype(z)(1.75)); }, -9, 9);
    check<S>([](auto z) { return pow(z, decltype(z)(2.5)); }, 0.1, 9);
}

TEST_CASE_TEMPLATE("long_functions: at edges", S, float, double) {
    constexpr auto log1p_of = [](auto z) { return log1p(z); };
    CHECK(at<S>(log1p_of, S(-1)) == -infinity<S>);
    CHECK(std::isnan(at<S>(log1p_of, S(-2))));
    constexpr auto exp2_of = [](auto z) { return exp2(z); };
    CHECK(at<S>(exp2_of, S(3)) == 8);
    CHECK(at<S>(exp2_of, S(5000)) == infinity<S>);
    CHECK(at<S>(exp2_of, S(-5000)) == 0);
    CHECK(at<S>([](auto z) { return expm1(z); }, S(0)) == 0);
    CHECK(at<S>([](auto z) { return expm1(z); }, S(-1000)) == -1);
    CHECK(at<S>([](auto z) { return erf(z); }, S(20)) == 1);
    CHECK(at<S>([](auto z) { return atan(z); }, infinity<S>) > S(1.57));
    CHECK(std::isnan(at<S>([](auto z) { return asin(z); }, S(2))));
    CHECK(std::isnan(at<S>([](auto z) { return acos(z); }, S(2))));
}

TEST_CASE_TEMPLATE("long_functions: the error function, odd and never beyond 1, and what is made of it", S,
                   float, double) {
    auto z = elementary::all_exponents<S>(100'000);
    for (int k = 0; k <= 60'000; ++k)
        z.push_back(S(k) / 6000);
    auto negative = z;
    for (S& number : negative)
        number = -number;
    auto const y = elementary::values<sluice::operation::erf>(z),
               of_negative = elementary::values<sluice::operation::erf>(negative);
    auto const gelu = elementary::values<sluice::activation::gelu>(z),
               gelu_of_negative = elementary::values<sluice::activation::gelu>(negative);
    constexpr long double root_of_half = 0.707106781186547524400844L;
    double const bound = sizeof(S) == 4 ? 4e-7 : 2e-14;
    double worst = 0, worst_gelu = 0, worst_of_negative = 0;
    bool is_odd = true, is_bounded = true;
    for (std::size_t i = 0; i < z.size(); ++i) {
        auto const x = static_cast<long double>(z[i]);
        worst = std::max(worst, elementary::relative(y[i], std::erf(x), std::erf(x)));
        is_odd = is_odd && of_negative[i] == -y[i];
        is_bounded = is_bounded && y[i] >= 0 && y[i] <= 1;
        worst_gelu =
            std::max(worst_gelu, elementary::relative(gelu[i], x * (1 + std::erf(x * root_of_half)) / 2, x));
        // There 1 and a number that is nearly -1 are added: the error is relative to z.
        worst_of_negative =
            std::max(worst_of_negative,
                     elementary::relative(gelu_of_negative[i], -x * std::erfc(x * root_of_half) / 2, x));
    }
    CHECK(worst < bound);
    CHECK(worst_gelu < bound);
    CHECK(worst_of_negative < bound);
    CHECK(is_odd);
    CHECK(is_bounded);
    for (S const large : {S(7), S(20), S(1e30), std::numeric_limits<S>::max(), infinity<S>}) {
        CHECK(elementary::value<sluice::operation::erf>(large) == 1);
        CHECK(elementary::value<sluice::operation::erf>(-large) == -1);
        CHECK(elementary::value<sluice::activation::gelu>(2 * large) == 2 * large);
    }
    CHECK(std::isnan(elementary::value<sluice::operation::erf>(nothing<S>)));
    CHECK(std::isnan(elementary::value<sluice::activation::gelu>(-nothing<S>)));
}

} // namespace long_functions_test
