// SPDX-License-Identifier: BSL-1.0
// Matches of pages of any kind: the target need be none of cuDNN's cells.
#include <algebra/match_check.hpp>
#include <doctest/doctest.h>
#include <mgu/mgu.hpp>
#include <support/swish.hpp>

namespace match_test {

namespace {

using namespace sluice::equation;

constexpr auto f = gate<"f">;
constexpr auto n = gate<"n">;

/// The minimal gated unit with another sign of its gate and other names.
struct mgu_again {
    static constexpr auto k = gate<"k">;
    static constexpr auto equations =
        sluice::lines(k = sigmoid(h * matrix<"B"> - x * matrix<"A">),
                      n = tanh(x * matrix<"C"> + (h - k * h) * matrix<"D"> + bias<"e"> + bias<"e">),
                      next(h) = n + k * (h - n));
};

template <class F>
struct with {
    static constexpr auto equations =
        sluice::lines(n = apply<F>(x * W<"n"> + b<"n">), next(h) = max(n, h) * exp(h));
};
template <class F>
struct with_again {
    static constexpr auto equations = sluice::lines(next(h) = exp(h) * max(apply<F>(2_n * (x * W<"m">)), h));
};
template <class F>
struct with_swapped {
    static constexpr auto equations = sluice::lines(next(h) = exp(h) * max(h, apply<F>(2_n * (x * W<"m">))));
};
struct other_swish : support::swish {};

/// Three states that read each other in a ring.
template <class First, class Second, class Third>
constexpr auto ring(First a, Second c, Third d) {
    return sluice::lines(next(a) = tanh(x * W<"a"> + c * R<"a">), next(c) = tanh(d * R<"c">),
                         next(d) = tanh(a * R<"d">), output = next(c));
}
struct one_ring {
    static constexpr auto equations = ring(state<"p">, state<"q">, state<"r">);
};
struct same_ring {
    static constexpr auto q = state<"q">;
    static constexpr auto r = state<"r">;
    static constexpr auto s = state<"s">;
    static constexpr auto equations =
        sluice::lines(next(r) = tanh(s * R<"r">), next(s) = tanh(q * R<"s">),
                      next(q) = -tanh(-(x * W<"q">)-r * R<"q">), output = next(r));
};

struct keeping {
    static constexpr auto equations = sluice::lines(f = x * W<"f">, n = (h + f) * (h - f) + f * f,
                                                    next(h) = n - h * h + sigmoid(f) + sigmoid(-f) - 1 + h);
};

template <class Page, class Target>
constexpr bool matches = sluice::match_of<Page, Target>::value.matched;

} // namespace

TEST_CASE("match: pages of a user's") {
    static_assert(matches<mgu, mgu> && matches<mgu_again, mgu>);
    auto const again = match_check::graph_of<mgu_again>(), target = match_check::graph_of<mgu>();
    CHECK(match_check::difference(target.seen(), again.seen(), {.input = 3, .units = 5}) < 1e-12);

    using swish = support::swish;
    static_assert(matches<with_again<swish>, with<swish>>);
    static_assert(!matches<with_again<other_swish>, with<swish>>); // it may be any function
    static_assert(!matches<with_swapped<swish>, with<swish>>);     // a function of two need not be symmetric
}

TEST_CASE("match: states are found whatever they are called") {
    constexpr auto const& found = sluice::match_of<same_ring, one_ring>::value;
    static_assert(found.matched);
    // p, q, r are q, r, s, which are the third, the first and the second
    CHECK(found.states[0] == 2);
    CHECK(found.states[1] == 0);
    CHECK(found.states[2] == 1);
}

TEST_CASE("match: a sum is one form") {
    // h' = h: all else is nothing
    constexpr auto const& form = sluice::normal_form_of<sluice::passes<keeping>>::value;
    static_assert(form.form(form.results[1]).size() == 1);
    static_assert(form.form(form.results[1])[0].count == 1 && form.form(form.results[1])[0].factor == 1);
}

} // namespace match_test
