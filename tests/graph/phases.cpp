// SPDX-License-Identifier: BSL-1.0
// What a sweep computes before, in and after its loop, and which of the values that it carries are only
// delays.
#include <doctest/doctest.h>
#include <sluice/graph/phases.hpp>
#include <support/graph_text.hpp>

namespace phases_test {

using graph_text::lines;
using graph_text::sweep_of;

namespace {

/// A line for each node that the sweep computes, in the order in which it does: `v1 before`; `h delay of v3
/// loop`.
std::string phases_of(std::string const& text) {
    auto const of = sweep_of(text);
    sluice::phase_map const m = sluice::find_phases(of.s);
    auto const label = graph_text::labels(of.s.g);
    std::string all;
    for (int const i : m.order)
        all += label(i) + (m.delay_of[i] >= 0 ? " delay of " + label(m.delay_of[i]) : "") + ' ' +
               graph_text::word_of(m.when[i]) + '\n';
    return all;
}

} // namespace

TEST_CASE("phases: a product of the input stands before the loop, what the next state needs in it, an output "
          "after") {
    CHECK(phases_of(R"(
        x = input [T B input]
        W = parameter [input x units]
        h = state [T B units]
        V = parameter [units x 3]
        v1 = product x W [T B units]
        v2 = add v1 h [T B units]
        v3 = tanh v2 [T B units]
        v4 = product v3 V [T B 3]
        gives output v4
        gives next(h) v3
    )") == lines(R"(
        v1 before
        v2 loop
        v3 loop
        v4 after
    )"));
}

TEST_CASE("phases: a state that nothing carried leads to is a delay, and what reads it needs no loop") {
    CHECK(phases_of(R"(
        x = input [T B input]
        k = state [T B input]
        v1 = add x k [T B input]
        v2 = copy x [T B input]
        gives output v1
        gives next(k) v2
    )") == lines(R"(
        v2 before
        k delay of v2 before
        v1 before
    )"));
}

TEST_CASE("phases: a chain of delays is found from its end") {
    CHECK(phases_of(R"(
        x = input [T B 3]
        a = state [T B 3]
        b = state [T B 3]
        v1 = copy x [T B 3]
        v2 = copy a [T B 3]
        gives output b
        gives next(a) v1
        gives next(b) v2
    )") == lines(R"(
        v1 before
        a delay of v1 before
        v2 before
        b delay of v2 before
    )"));
}

TEST_CASE(
    "phases: a delay of a recurrence is read in the loop where the recurrence reads it, else after it") {
    std::string const recurrence = R"(
        h = state [T B units]
        k = state [T B units]
        v1 = tanh h [T B units]
        v2 = copy v1 [T B units]
    )";
    CHECK(phases_of(recurrence + R"(
        v3 = add v1 k [T B units]
        gives output v3
        gives next(h) v1
        gives next(k) v2
    )") == lines(R"(
        v1 loop
        v2 after
        k delay of v2 after
        v3 after
    )"));
    CHECK(phases_of(recurrence + R"(
        v3 = add v1 k [T B units]
        gives output v1
        gives next(h) v3
        gives next(k) v2
    )") == lines(R"(
        v1 loop
        v2 loop
        v3 loop
    )"));
}

TEST_CASE("phases: a delay of an input is given before the loop, also where a recurrence reads it") {
    CHECK(phases_of(R"(
        x = input [T B 3]
        h = state [T B 3]
        k = state [T B 3]
        v1 = copy x [T B 3]
        v2 = add h k [T B 3]
        gives next(h) v2
        gives next(k) v1
    )") == lines(R"(
        v1 before
        k delay of v1 before
        v2 loop
    )"));
}

TEST_CASE("phases: what nothing wants is not computed, and a state that nothing reads is no recurrence") {
    CHECK(phases_of(R"(
        x = input [T B 3]
        h = state [T B 3]
        v1 = tanh x [T B 3]
        v2 = exp x [T B 3]
        v3 = tanh h [T B 3]
        gives output v1
    )") == "v1 before\n");
}

TEST_CASE("phases: sums over time come after the loop, also where they read nothing of it") {
    CHECK(phases_of(R"(
        x = input [T B 5]
        d1 = cotangent 0 [T B 3]
        v1 = outer x d1 [5 x 3]
        v2 = total d1 [3]
        backward
        wants v1 total
        wants v2 total
    )") == lines(R"(
        v1 after
        v2 after
    )"));
}

TEST_CASE("phases: values of earlier sweeps are given, whatever they are made of") {
    CHECK(phases_of(R"(
        x = input [T B 3]
        v1 = tanh x [T B 3]
        d1 = cotangent 0 [T B 3]
        v2 = multiply d1 v1 [T B 3]
        start d1
        backward
        wants v2 history
    )") == "v2 before\n");
}

} // namespace phases_test
