// SPDX-License-Identifier: BSL-1.0
// Every word of the language is an empty type.
#include <sluice/expr/equations.hpp>
#include <support/both.hpp>
#include <support/own_functions.hpp>
#include <type_traits>

namespace vocabulary_test {

using namespace sluice::equation;

constexpr double quarter = 0.25;
constexpr int one = 1; // at namespace scope, where a name of the language would be ambiguous

namespace {

template <class... E>
constexpr bool all_empty(E...) {
    return (std::is_empty_v<E> && ...);
}
template <class... E>
constexpr bool all_expressions(E...) {
    return (expression<E> && ...);
}

struct cube {
    static constexpr std::string_view name = "cube";
    template <class T>
    static T value(T z) {
        return z * z * z;
    }
    static constexpr auto derivative(auto z, auto) { return 3_n * z * z; }
};

constexpr auto f = gate<"f">;
constexpr auto m = state<"m", projection>;
constexpr auto three = state<"three", 3>;
constexpr auto context = input<"context">;

using support::squared_difference, support::times_all;

} // namespace

TEST_CASE("vocabulary: leaves are empty") {
    BOTH(all_empty(x, input_of<units>, h, m, three, f, next(h), output, W<"f">, R<"f">, matrix<"M">,
                   W<"y", 10>, grouped(W<"i">), b<"f">, bias<"shift">, p<"f">, vector<"scale">,
                   setting<"forget_bias">, 0.5_n, 2_n, 1e-3_n));
    BOTH(all_empty(context, input<"pitch", 2>, input<"w", size<"context">>, scalar<"gain">,
                   elements<"A", units, 7>, fixed(elements<"A", units, 8, 4>), grouped<4>(R<"f">),
                   grouped<size<"heads">>(R<"f">), fixed(matrix<"A">), fixed(scalar<"s">),
                   fixed(grouped(matrix<"A">)), grouped(fixed(matrix<"A">))));
    BOTH(all_expressions(x, h, f, next(h), W<"f">, b<"f">, p<"f">, setting<"forget_bias">, 0.5_n));
}

TEST_CASE("vocabulary: operations are empty") {
    BOTH(all_empty(x * W<"f">, f * h, f + h, f - h, -f, 1 - f, 1 + f, f - 1, f + 1, 1 * f, 1.0 - f,
                   0.5_n * f));
    BOTH(all_empty(sigmoid(f), tanh(f), relu(f), identity(f), softplus(f), exp(f), hard_sigmoid(f),
                   apply<cube>(f), sigmoid(x * W<"f"> + h * R<"f"> + b<"f">)));
    BOTH(all_empty(f / h, f / 2_n, 1 / f, max(f, h), max(1, f), max(f, 1), max(f), sum(f), mean(f),
                   features(f), features<4>(f), reduce<times_all>(f), apply<squared_difference>(f, h),
                   transposed(R<"k">), R<"k"> - transposed(R<"k">), concat(x, h, f), slice<0, units>(x),
                   slice<units, 3>(x)));
}

TEST_CASE("vocabulary: functions by their names are empty") {
    BOTH(all_empty(exp(f), expm1(f), log(f), log1p(f), sin(f), cos(f), erf(f), abs(f), sign(f), floor(f),
                   square(f), reciprocal(f), sqrt(f), rsqrt(f), pow(f, 1.5_n), pow(f, h), softmax(f),
                   log_softmax(f)));
    BOTH(all_empty(identity(f), log_sigmoid(f), hard_tanh(f), tanh_shrink(f), softsign(f), relu6(f),
                   leaky_relu(f), leaky_relu(f, scalar<"a">), elu(f), selu(f), gelu(f), gelu_tanh(f), silu(f),
                   swish(f), mish(f), gaussian(f)));
    BOTH(all_empty(min(f, h), min(1, f), min(f, 1), min(f), norm(f), variance(f), clip(f, -1_n, 1),
                   clip(f, 1, 2_n), layer_norm(f, p<"g">, b<"f">), rms_norm(f, p<"g">), number<one>,
                   number<quarter>));
    BOTH(all_empty(f > h, f >= 1, 1 < f, f <= h, f > 0_n && f<h, f> 1 || 1 > f, !(f > h), where(f > h, f, h),
                   where(f > h, 1, h), where(f > h, f, 1)));
}

TEST_CASE("vocabulary: powers are squares and products where they can be") {
    static_assert(std::is_same_v<decltype(pow(f, 1)), decltype(pow(f, 1_n))>);
    static_assert(std::is_same_v<decltype(pow(f, 2_n)), decltype(square(f))>);
    static_assert(std::is_same_v<decltype(pow(f, 3_n)), decltype(square(f) * f)>);
    static_assert(std::is_same_v<decltype(pow(f, 4_n)), decltype(square(square(f)))>);
    static_assert(std::is_same_v<decltype(pow(f, -1_n)), decltype(reciprocal(f))>);
    static_assert(std::is_same_v<decltype(pow(f, 0.5_n)), decltype(sqrt(f))>);
    static_assert(std::is_same_v<decltype(pow(f, -0.5_n)), decltype(rsqrt(f))>);
    static_assert(!std::is_same_v<decltype(pow(f, 17_n)), decltype(pow(f, 16_n))>);
    CHECK(std::is_empty_v<decltype(pow(f, 5_n))>);
}

TEST_CASE("vocabulary: a function has a name, a value and a derivative for each operand") {
    static_assert(has_name<cube> && has_value<cube, 1> && has_derivative<cube, 1>);
    static_assert(!has_value<cube, 2> && !has_derivative<cube, 2> && !has_name<int> && !has_value<int, 1>);
    static_assert(has_value<squared_difference, 2> && has_derivative<squared_difference, 2>);
    static_assert(!has_derivative<squared_difference, 1> && !reduction<squared_difference>);
    static_assert(reduction<times_all> && reduction<sluice::operation::largest>);
    BOTH(has_derivative<sluice::activation::step, 1>);
}

TEST_CASE("vocabulary: widths by name") {
    static_assert(size<"input"> == sluice::symbol::input && size<"groups"> == sluice::symbol::groups);
    static_assert(size<"units"> == units && size<"projection"> == projection && size<"context"> != units);
    static_assert(size<"context"> == size<"context"> && size<"context"> != size<"memory">);
    static_assert(std::is_same_v<decltype(x), decltype(input<"x", size<"input">>)>);
    CHECK(std::is_same_v<decltype(input<"c">), decltype(input<"c", size<"c">>)>);
}

TEST_CASE("vocabulary: its helpers take no names from a program that uses it") {
    BOTH(one == 1);
    constexpr auto wave = input_of<3>;
    static_assert(
        std::is_same_v<decltype(wave), input_term<boost::hana::string<'x'>, sluice::number_width<3>> const>);
    CHECK(std::is_empty_v<decltype(wave)>);
}

namespace {

/// A user's own words, by names that equations do not have.
constexpr auto hypot(auto a, auto b) {
    return sqrt(a * a + b * b);
}
constexpr auto cbrt(auto z) {
    return apply<cube>(z);
}

} // namespace

TEST_CASE("vocabulary: a user's own functions come before the sentences about <cmath>") {
    static_assert(std::is_same_v<decltype(hypot(f, h)), decltype(sqrt(f * f + h * h))>);
    static_assert(std::is_same_v<decltype(cbrt(f)), decltype(apply<cube>(f))>);
    CHECK(std::is_empty_v<decltype(hypot(f, cbrt(h)))>);
}

} // namespace vocabulary_test
