// SPDX-License-Identifier: BSL-1.0
// The pointwise functions of the language as batches compute them, against their values of plain numbers, at
// edges too.
#include <array>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/xtensor.hpp>
#include <string>
#include <vector>

namespace functions_test {

using namespace sluice::equation;

namespace {

struct every_function {
    static constexpr auto equations = sluice::lines(
        next(h) = sigmoid(h) + tanh(h) + relu(h) + softplus(h) + hard_sigmoid(h) + identity(h) +
                  log_sigmoid(h) + hard_tanh(h) + tanh_shrink(h) + softsign(h) + relu6(h) + leaky_relu(h) +
                  elu(h) + selu(h) + gelu(h) + gelu_tanh(h) + silu(h) + mish(h) + gaussian(h) + exp(h) +
                  expm1(h) + log(h) + log1p(h) + sin(h) + cos(h) + erf(h) + abs(h) + sign(h) + floor(h) +
                  square(h) + reciprocal(h) + sqrt(h) + rsqrt(h) + pow(h, 2.5_n) + norm(h) +
                  where((h > x && h < x) || !(h >= x && h <= x), max(h, x), min(h, x)) + h / x - (h - x) * h);
};
using functions = sluice::operations_of<std::remove_cv_t<decltype(every_function::equations)>>;

template <class S>
std::vector<S> numbers() {
    constexpr S infinity = std::numeric_limits<S>::infinity();
    std::vector<S> all{0,
                       S(-0.0),
                       1,
                       -1,
                       infinity,
                       -infinity,
                       std::numeric_limits<S>::quiet_NaN(),
                       std::numeric_limits<S>::max(),
                       std::numeric_limits<S>::lowest(),
                       std::numeric_limits<S>::min(),
                       6,
                       S(0.5),
                       S(2.5),
                       S(-2.5),
                       100,
                       -100};
    for (int k = -300; k < 300; ++k)
        all.push_back(S(k) / S(37.3));
    while (all.size() % 16 != 0)
        all.push_back(2);
    return all;
}

/// F of batches, of as many operands as it has; the second is the first one from after, the third 1/4.
template <class F, class S, int Arity>
S worst_difference() {
    using number = sluice::xtensor::simd<S>;
    using function = typename sluice::xtensor::batch_function<F, sluice::xtensor::accurate>::type;
    std::vector<S> const a = numbers<S>();
    std::vector<S> const b(a.rbegin(), a.rend());
    std::vector<S> y(a.size());
    auto const value = [](auto const& first, auto const& second, auto const& third) {
        if constexpr (Arity == 1)
            return function::value(first);
        else if constexpr (Arity == 2)
            return function::value(first, second);
        else
            return function::value(first, second, third);
    };
    for (std::size_t i = 0; i < a.size(); i += number::lanes)
        number::store(
            value(number::load(a.data() + i), number::load(b.data() + i), typename number::type(S(0.25))),
            y.data() + i);
    S worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        S const expected = value(a[i], b[i], S(0.25));
        bool const same = (expected != expected && y[i] != y[i]) || expected == y[i];
        S const off = same ? 0 : std::abs(y[i] - expected) / (1 + std::abs(expected));
        if (!(off <= S(1e-5)))
            MESSAGE(std::string(F::name), " of ", a[i], ", ", b[i], ": ", y[i], " for ", expected);
        worst = off <= worst ? worst : off;
    }
    return worst;
}

template <class S, int F>
void check() {
    using function = functions::at<F>;
    if constexpr (!reduction<function>) {
        constexpr int arity = sluice::arity_of<function>();
        CAPTURE(std::string(function::name));
        // e^(b log a) is in error by |b log a| roundings.
        int const roundings = std::is_same_v<function, sluice::operation::power> ? 128 : 64;
        CHECK(worst_difference<function, S, arity>() < S(roundings) * std::numeric_limits<S>::epsilon());
    }
}

} // namespace

TEST_CASE_TEMPLATE("functions: of batches as of plain numbers", S, float, double) {
    [&]<int... F>(std::integer_sequence<int, F...>) {
        (check<S, F>(), ...);
    }
    (std::make_integer_sequence<int, functions::size>{});
}

} // namespace functions_test
