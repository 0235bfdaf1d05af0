// SPDX-License-Identifier: BSL-1.0
// Rules that rewrite equations, and what a term is in the light of the lines around it.
#include <sluice/expr/rewrite.hpp>
#include <support/both.hpp>

namespace rewrite_test {

using namespace sluice::equation;
namespace rewriting = sluice::rewriting;

namespace {

constexpr auto z = gate<"z">;
constexpr auto c = state<"c", 3>;

/// h becomes c, wherever it stands.
struct c_for_h {
    static constexpr auto made(std::remove_cv_t<decltype(h)>) { return c; }
};
/// tanh(E) becomes sigmoid(E), and within E nothing changes.
struct outer_tanh {
    template <class E>
    static constexpr auto made(function_term<sluice::activation::tanh, E> e) {
        return sigmoid(E{}) * e;
    }
};

template <class A, class B>
constexpr bool same(A, B) {
    return std::is_same_v<A, B>;
}
template <class E>
constexpr auto with_c(E e) {
    return rewriting::rewrite<c_for_h>(e);
}

constexpr auto A = gate<"A">;
constexpr auto half = gate<"half">;
constexpr auto reset = gate<"reset">;
constexpr auto circle = gate<"circle">;
constexpr auto round = gate<"round">;
constexpr auto lines =
    sluice::lines(A = R<"k"> - transposed(R<"k">), half = 0.5_n * setting<"dt">, z = sigmoid(x * W<"z">),
                  reset = z * h, circle = round + round, round = circle * circle, next(h) = h);
using reader = rewriting::reader<std::remove_cv_t<decltype(lines)>>;

} // namespace

TEST_CASE("rewrite: every kind of term is looked into, and what a rule does not name stays") {
    BOTH(same(with_c(h), c));
    BOTH(same(with_c(x * W<"a"> + b<"a">), x * W<"a"> + b<"a">));
    BOTH(same(with_c(next(h) * h), next(h) * c));
    BOTH(same(with_c(-tanh(h) + z / h), -tanh(c) + z / c));
    BOTH(same(with_c(concat(x, h, 1_n * h)), concat(x, c, 1_n * c)));
    BOTH(same(with_c(slice<1, 2>(h)), slice<1, 2>(c)));
    BOTH(same(with_c(mean(h)), mean(c))); // a sum, and a number of features
    BOTH(same(with_c(h * transposed(R<"a">)), c * transposed(R<"a">)));
    BOTH(same(with_c(transposed(h)), transposed(c)));
    BOTH(same(with_c(max(h, x) - scalar<"alpha"> * p<"h">), max(c, x) - scalar<"alpha"> * p<"h">));
}

TEST_CASE("rewrite: lines of every kind, by themselves and together") {
    constexpr auto before =
        sluice::lines(z = tanh(h), next(h) = z + h, initial(h) = p<"h">, output = next(h) - h);
    constexpr auto after =
        sluice::lines(z = tanh(c), next(h) = z + c, initial(h) = p<"h">, output = next(h) - c);
    BOTH(same(rewriting::rewrite<c_for_h>(before), after));
    BOTH(same(rewriting::rewrite<c_for_h>(z = h), z = c));
}

TEST_CASE("rewrite: a rule comes before the operands, and decides about them") {
    BOTH(same(rewriting::rewrite<outer_tanh>(x + tanh(tanh(h))), x + sigmoid(tanh(h)) * tanh(tanh(h))));
}

TEST_CASE("rewrite: whether a term stands anywhere") {
    using h_type = std::remove_cv_t<decltype(h)>;
    BOTH(rewriting::contains<h_type>(sluice::lines(z = x, next(c) = z + slice<0, 3>(h))));
    BOTH(!rewriting::contains<h_type>(sluice::lines(z = x, next(h) = z + next(c))));
}

TEST_CASE("reader: matrices and numbers, also by the name of a gate") {
    BOTH(reader::is_matrix(R<"k">));
    BOTH(reader::is_matrix(transposed(grouped(R<"k">))));
    BOTH(reader::is_matrix(half * R<"k"> - W<"k">));
    BOTH(reader::is_matrix(-A));
    BOTH(!reader::is_matrix(h * R<"k">));
    BOTH(!reader::is_matrix(tanh(A)));
    BOTH(!reader::is_matrix(b<"k">));
    BOTH(!reader::is_matrix(z));
    BOTH(reader::is_scalar(half));
    BOTH(reader::is_scalar(1 - 2_n * scalar<"alpha">));
    BOTH(!reader::is_scalar(h));
    BOTH(!reader::is_scalar(z));
    BOTH(!reader::is_scalar(p<"k">));
}

TEST_CASE("reader: products with a matrix") {
    BOTH(reader::is_product(h, R<"k">));
    BOTH(reader::is_product(z * h, A));
    BOTH(reader::is_product(h * R<"k">, R<"k">));
    BOTH(!reader::is_product(half, R<"k">));
    BOTH(!reader::is_product(h, p<"k">));
    BOTH(!reader::is_product(A, half));
}

TEST_CASE("reader: what is made of a state without a function or a product between") {
    BOTH(reader::has_state(h));
    BOTH(reader::has_state(reset));
    BOTH(reader::has_state(x - z * (h / half)));
    BOTH(reader::has_state(concat(x, slice<0, 1>(h))));
    BOTH(!reader::has_state(x / h));
    BOTH(!reader::has_state(tanh(h)));
    BOTH(!reader::has_state(sum(h)));
    BOTH(!reader::has_state(h * R<"k">));
    BOTH(!reader::has_state(h * A));
    BOTH(!reader::has_state(next(h)));
    BOTH(!reader::has_state(z));
}

TEST_CASE("reader: gates that go in a circle, or that nothing defines, are none of these") {
    BOTH(!reader::is_matrix(circle));
    BOTH(!reader::is_scalar(circle));
    BOTH(!reader::has_state(circle));
    BOTH(!reader::is_matrix(gate<"unknown">));
}

} // namespace rewrite_test
