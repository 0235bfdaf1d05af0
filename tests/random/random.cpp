// SPDX-License-Identifier: BSL-1.0
// Hundreds of cells that no person would write, through every pass.
#include <doctest/doctest.h>
#include <random/faults.hpp>

using namespace random_cells;

TEST_CASE("random cells: plain evaluation gives the numbers of a cell that is written out") {
    // next(h) = (1 - f) . h + f . tanh(x W + b),  f = sigmoid(h R)
    builder b;
    int const w = b.width(sluice::width(1));
    int const x = b.input("x", w), h = b.state("h", w);
    int const f = b.apply(f::sigmoid, b.product(h, b.parameter("R", {.columns = w, .rows = w})));
    int const n = b.apply(f::tanh, b.apply(f::add, b.product(x, b.parameter("W", {.columns = w, .rows = w})),
                                           b.parameter("b", {.columns = w})));
    int const kept = b.apply(f::multiply, b.apply(f::subtract, b.number(1), f), h);
    int const next = b.apply(f::add, kept, b.apply(f::multiply, f, n));
    b.define(sluice::role::output, "output", next);
    b.define(sluice::role::next, "h", next);

    extents const e{.steps = 3, .batch = 2, .lengths = {3, 1}};
    leaf_values given(at(b.g.size()));
    auto const give = [&](int i, history values) { given[at(i)] = std::move(values); };
    auto const column = [](double first, double second) {
        array a(2, 1);
        a(0, 0) = first, a(1, 0) = second;
        return a;
    };
    double const weight = 0.7, recurrent = -1.3, bias = 0.2;
    give(x, {column(0.5, -1), column(2, 9), column(-0.25, 9)});
    give(h, {column(0.1, 0.9)});
    give(leaf_of(view_of(b.g), op::parameter, b.g.intern(sluice::name("W"))), {array(1, 1, weight)});
    give(leaf_of(view_of(b.g), op::parameter, b.g.intern(sluice::name("R"))), {array(1, 1, recurrent)});
    give(leaf_of(view_of(b.g), op::parameter, b.g.intern(sluice::name("b"))), {array(1, 1, bias)});
    results const r = run_forward(view_of(b.g), e, given);

    double state[2] = {0.1, 0.9};
    for (size_t t = 0; t < 3; ++t)
        for (size_t row = 0; row < 2; ++row) {
            if (t >= e.length(row)) {
                CHECK(r.outputs[t](row, 0) == 0);
                continue;
            }
            double const gate = 1 / (1 + std::exp(-state[row] * recurrent));
            state[row] = (1 - gate) * state[row] + gate * std::tanh(given[at(x)][t](row, 0) * weight + bias);
            CHECK(r.outputs[t](row, 0) == doctest::Approx(state[row]).epsilon(1e-14));
        }
    CHECK(r.states[0](0, 0) == doctest::Approx(state[0]).epsilon(1e-14));
    CHECK(r.states[0](1, 0) == doctest::Approx(state[1]).epsilon(1e-14));
}

TEST_CASE("random cells: a cell with a fault shrinks to the fault") {
    auto const divides = [](random_cell const& cell) {
        for (node const& n : cell.g.nodes)
            if (n.kind == op::pointwise && n.function == f::divide)
                return true;
        return false;
    };
    int found = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        random_cell const cell = make_cell(seed);
        if (!divides(cell))
            continue;
        ++found;
        random_cell const small = shrink(cell, divides);
        CHECK(divides(small));
        CHECK(small.e.steps == 1);
        CHECK(small.g.size() <= cell.g.size());
        CHECK(small.g.size() < 20);
    }
    CHECK(found > 5);
}

TEST_CASE("random cells: passes keep their meaning, gradients are gradients, plans do what the graphs say") {
    check_cells(200, fault_of);
}
