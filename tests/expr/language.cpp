// SPDX-License-Identifier: BSL-1.0
// Every word of the language is an empty type.
#include <sluice/expr/equations.hpp>
#include <support/both.hpp>
#include <type_traits>

using namespace sluice::equation;

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

} // namespace

TEST_CASE("language: leaves are empty") {
    BOTH(all_empty(x, input_of<units>, h, m, three, f, next(h), output, W<"f">, R<"f">, matrix<"M">,
                   W<"y", 10>, grouped(W<"i">), b<"f">, bias<"shift">, p<"f">, vector<"scale">,
                   setting<"forget_bias">, 0.5_n, 2_n, 1e-3_n));
    BOTH(all_expressions(x, h, f, next(h), W<"f">, b<"f">, p<"f">, setting<"forget_bias">, 0.5_n));
}

TEST_CASE("language: operations are empty") {
    BOTH(all_empty(x * W<"f">, f * h, f + h, f - h, -f, 1 - f, 1 + f, f - 1, f + 1, 1 * f, 1.0 - f,
                   0.5_n * f));
    BOTH(all_empty(sigmoid(f), tanh(f), relu(f), identity(f), softplus(f), exp(f), hard_sigmoid(f),
                   apply<cube>(f), sigmoid(x * W<"f"> + h * R<"f"> + b<"f">)));
}

TEST_CASE("language: lines are empty, and are no expressions") {
    BOTH(all_empty(f = sigmoid(h), next(h) = f * h, output = h, next(m) = h * W<"m">));
    static_assert(line<decltype(f = h)> && line<decltype(next(h) = f)> && line<decltype(output = f)>);
    static_assert(!line<decltype(f)> && !expression<decltype(f = h)>);
    static_assert(std::is_empty_v<sluice::equation_set<decltype(f = h), decltype(next(h) = f)>>);
}

TEST_CASE("language: a number on its own side") {
    static_assert(std::is_same_v<decltype(1 - f), binary_term<operation::subtract, number_term<'1'>,
                                                              gate_term<boost::hana::string<'f'>>>>);
    static_assert(
        std::is_same_v<decltype(f - 1), binary_term<operation::subtract, gate_term<boost::hana::string<'f'>>,
                                                    number_term<'1'>>>);
    static_assert(std::is_same_v<decltype(0.5_n), number_term<'0', '.', '5'>>);
    BOTH(std::is_same_v<decltype(1 - f), decltype(1.0F - f)>);
}

TEST_CASE("language: an activation has a name, a value and a derivative") {
    static_assert(activation_function<cube> && activation_function<sluice::activation::tanh>);
    static_assert(!activation_function<int>);
    BOTH(activation_function<sluice::activation::step>);
}

TEST_CASE("language: its helpers take no names from a program that uses it") {
    BOTH(one == 1);
    constexpr auto wave = input_of<3>;
    static_assert(std::is_same_v<decltype(wave), input_term<sluice::width(3)> const>);
    CHECK(std::is_empty_v<decltype(wave)>);
}

namespace {

/// A user's own words, by names that equations do not have.
constexpr auto max(auto a, auto b) {
    return b + relu(a - b);
}
constexpr auto sqrt(auto z) {
    return apply<cube>(z);
}

} // namespace

TEST_CASE("language: a user's own functions come before the sentences about <cmath>") {
    static_assert(std::is_same_v<decltype(max(f, h)), decltype(h + relu(f - h))>);
    static_assert(std::is_same_v<decltype(sqrt(f)), decltype(apply<cube>(f))>);
    CHECK(std::is_empty_v<decltype(max(f, sqrt(h)))>);
}
