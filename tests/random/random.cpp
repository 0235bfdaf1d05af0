// SPDX-License-Identifier: BSL-1.0
// Several hundred cells that nobody would write, through every pass. A failure prints the seed, the cell in
// its smallest form and its plans; SLUICE_RANDOM_SEED repeats it, SLUICE_RANDOM_CELLS says how many cells
// there are.
#include <doctest/doctest.h>
#include <random/check.hpp>
#include <random/seeds.hpp>
#include <random/shrink.hpp>
#include <sluice/plan/print.hpp>

using namespace random_cells;

namespace {

std::string fault(random_cell const& cell, std::uint64_t seed, bool fuse) {
    try {
        return is_wild(cell) ? std::string() : fault_of(cell, seed, fuse);
    } catch (std::exception const& e) {
        return e.what();
    }
}

/// All that a person needs to find the mistake.
std::string describe(random_cell const& cell, std::uint64_t seed, bool fuse) {
    std::ostringstream out;
    out << print_equations(view_of(cell.g)) << "input " << cell.e.n.input << ", units " << cell.e.n.units
        << ", projection " << cell.e.n.projection << ", " << cell.e.steps << " steps, batch " << cell.e.batch
        << ", lengths";
    for (size_t length : cell.e.lengths)
        out << ' ' << length;
    out << (fuse ? "\nfused: " : "\nnot fused: ") << fault(cell, seed, fuse) << "\n\n";
    try {
        graph const g = fuse ? sluice::fuse(view_of(cell.g)) : sluice::without_fusing(view_of(cell.g));
        sluice::gradient const d = sluice::differentiate(view_of(g), sluice::derivative_rules(table{}));
        planned const plans = plan_both(view_of(g), view_of(d.whole));
        out << print_equations(view_of(d.whole)) << '\n'
            << print_plan(view_of(plans.forward), view_of(g))
            << print_plan(view_of(plans.backward), view_of(d.whole));
    } catch (std::exception const&) {
        out << "there is no plan\n";
    }
    return out.str();
}

} // namespace

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
    seeds const from(400);
    std::uint64_t const first = from.first, cells = from.cells;
    MESSAGE("SLUICE_RANDOM_SEED=" << first << " repeats these " << cells << " cells");
    int faults = 0;
    for (std::uint64_t seed = first; seed < first + cells && faults < 3; ++seed)
        for (bool const fuse : {true, false}) {
            random_cell const cell = make_cell(seed);
            std::string const words = fault(cell, seed, fuse);
            if (words.empty())
                continue;
            ++faults;
            auto const same = [&](random_cell const& smaller) {
                return fault(smaller, seed, fuse).substr(0, 20) == words.substr(0, 20);
            };
            FAIL_CHECK("SLUICE_RANDOM_SEED=" << seed << " SLUICE_RANDOM_CELLS=1\n"
                                             << describe(shrink(cell, same), seed, fuse));
            break;
        }
}
