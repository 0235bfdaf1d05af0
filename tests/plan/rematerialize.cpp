// SPDX-License-Identifier: BSL-1.0
// Which values are recomputed in registers wherever they are read, and what is read in their place.
#include <doctest/doctest.h>
#include <sluice/plan/rematerialize.hpp>
#include <support/graph_text.hpp>

namespace rematerialize_test {

namespace {

/// The labels of the nodes that are recomputed, then for each other node what it reads: `v4 <- v1 b h`.
std::string recomputed(std::string const& text) {
    auto const of = graph_text::sweep_of(text);
    auto const label = graph_text::labels(of.s.g);
    sluice::phase_map const phases = sluice::find_phases(of.s);
    sluice::list<bool> const found = sluice::find_rematerialized(of.s, phases);
    sluice::read_map const reads(of.s, phases, found, sluice::accumulation_map(of.s.g.size()));
    std::string all;
    for (int i = 0; i < found.size(); ++i)
        if (found[i])
            all += (all.empty() ? "" : " ") + label(i);
    all += '\n';
    for (int const i : phases.order)
        if (!found[i]) {
            all += label(i) + " <-";
            for (int const o : reads[i])
                all += ' ' + label(o);
            all += '\n';
        }
    return all;
}

} // namespace

TEST_CASE("rematerialize: a bias that is added to a hoisted product is added where the sum is read") {
    CHECK(recomputed(R"(
        x = input [T B 3]
        h = state [T B 5]
        W = parameter [3 x 5]
        b = parameter bias [5]
        v1 = product x W [T B 5]
        v2 = add v1 b [T B 5]
        v3 = add v2 h [T B 5]
        gives output v3
        gives next(h) v3
    )") == "v2\nv1 <- x W\nv3 <- h v1 b\n");
}

TEST_CASE(
    "rematerialize: a sum before the loop is stored where a product reads it, or where it is not cheap") {
    CHECK(recomputed(R"(
        x = input [T B 3]
        h = state [T B 5]
        W = parameter [3 x 5]
        v1 = add x x [T B 3]
        v2 = product v1 W [T B 5]
        v3 = tanh v2 [T B 5]
        v4 = add v3 h [T B 5]
        gives output v4
        gives next(h) v4
    )") == "\nv1 <- x\nv2 <- v1 W\nv3 <- v2\nv4 <- v3 h\n");
}

TEST_CASE("rematerialize: cheap functions of parameters, and scalars; an exp of a vector is stored") {
    CHECK(recomputed(R"(
        h = state [T B 5]
        s = parameter [5]
        alpha = parameter []
        v1 = number 1 []
        v2 = add alpha v1 []
        v3 = exp alpha []
        v4 = add s s [5]
        v5 = exp s [5]
        v6 = multiply v2 h [T B 5]
        v7 = multiply v3 v6 [T B 5]
        v8 = multiply v4 v7 [T B 5]
        v9 = multiply v5 v8 [T B 5]
        gives output v9
        gives next(h) v9
    )") == "v2 v3 v4\nv5 <- s\nv6 <- h alpha v1\nv7 <- v6 alpha\nv8 <- v7 s\nv9 <- v5 v8\n");
}

TEST_CASE("rematerialize: what is wanted is stored, however cheap it is") {
    CHECK(recomputed(R"(
        x = input [T B 3]
        v1 = add x x [T B 3]
        v2 = tanh v1 [T B 3]
        gives output v1
        wants v1 history
        wants v2 history
    )") == "\nv1 <- x\nv2 <- v1\n");
}

TEST_CASE("rematerialize: a cheap value of an earlier sweep, if what it is made of is read anyway") {
    std::string const forward = R"(
        h = state [T B 5]
        v1 = sigmoid h [T B 5]
        v2 = number 1 []
        v3 = subtract v2 v1 [T B 5]
        d1 = cotangent 0 [T B 5]
    )";
    std::string const rest = R"(
        gives output v3
        start d1
        backward
        wants v5 history
    )";
    CHECK(recomputed(forward + "v4 = multiply d1 v1 [T B 5]\nv5 = multiply v4 v3 [T B 5]\n" + rest) ==
          "v3\nv4 <- d1 v1\nv5 <- v4 v2 v1\n");
    CHECK(recomputed(forward + "v4 = multiply d1 d1 [T B 5]\nv5 = multiply v4 v3 [T B 5]\n" + rest) ==
          "\nv4 <- d1\nv5 <- v4 v3\n"); // v1 is not read: v3 itself is
}

} // namespace rematerialize_test
