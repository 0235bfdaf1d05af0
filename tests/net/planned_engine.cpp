// SPDX-License-Identifier: BSL-1.0
// Plans of a cell without names: a sequence and its gradient against differences, and what a change of the
// parameters does.
#include <sluice/net/planned_engine.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <memory>
#include <sluice/execute/interpret.hpp>
#include <sluice/expr/vocabulary.hpp>
#include <sluice/parameter/parameters.hpp>
#include <sluice/plan/plans.hpp>
#include <sluice/xtensor/host_kernels.hpp>
#include <vector>

namespace planned_engine_test {

namespace {

using namespace sluice::equation;
using kernels = sluice::xtensor::kernels;
using numbers = std::vector<double>;

/// One unit reads one input: h' = tanh(w x + r h + b) k, with k a setting.
struct page {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * W<"h"> + h * R<"h"> + b<"h">) * setting<"k">(1_n));
};
using all = sluice::plans<page>;
constexpr sluice::sizes extents{.input = 1, .units = 1};
constexpr std::size_t steps = 4, batch = 2;

using program = sluice::sweep_program<double, kernels>;
program program_of(sluice::graph_view g, sluice::plan_view p) {
    return {g, p,
            [](kernels const&, sluice::plan_view const& q, int k, sluice::block_frame<double> const& f) {
                sluice::interpret_block<sluice::passes<page>::operations>(q, k, f);
            }};
}

struct scene {
    sluice::parameter_map<page, double> parameters = sluice::zero_parameters<page, double>(extents);
    numbers settings{0.75};
    sluice::planned_engine<double, kernels> engine{sluice::page_view{all::graph, all::leaves}};
    numbers x{0.5, -1, 2, 0.25, -0.75, 1.5, 0.125, -2}, start{0.3, -0.6};
    numbers y = numbers(steps * batch), last = numbers(batch);

    scene() { set({0.4, -0.9, 0.2}); }
    sluice::cell_numbers<double> cell() const {
        return {extents, parameters.array().places(), parameters.array().values(), settings};
    }
    /// In the order of the places; each parameter is one number.
    void set(numbers const& to) {
        auto const values = parameters.values();
        for (std::size_t i = 0; i < 3; ++i)
            values[i] = to[i];
        engine.refresh(cell());
    }
    sluice::engine_sequence<double> sequence() {
        return {.steps = steps,
                .rows = {.batch = batch},
                .inputs = {x.data()},
                .states = {start.data()},
                .final_states = {last.data()},
                .outputs = y.data()};
    }
    void infer() { engine.infer(program_of(all::graph, all::inference), cell(), sequence()); }
    /// The gradients of the sum of all outputs, of the parameters; `dx` of the input unless it is null.
    numbers gradients(double* dx) {
        auto const tape = engine.forward(program_of(all::graph, all::forward), cell(), sequence());
        numbers found(3), of_state(batch);
        numbers dys(steps * batch, 1);
        numbers const of_last(batch);
        engine.backward(program_of(all::gradient, all::backward), cell(), tape,
                        {.outputs = dys.data(),
                         .final_states = {of_last.data()},
                         .states = {of_state.data()},
                         .inputs = dx == nullptr ? std::vector<double*>{} : std::vector<double*>{dx},
                         .parameters = found});
        return found;
    }
    /// The parameter of that name.
    double number(std::string_view called) const {
        for (sluice::tensor_place const& p : parameters.array().places())
            if (p.called == called)
                return p.in(parameters.values())[0];
        FAIL("no such parameter");
        return 0;
    }
    /// The outputs, worked out here.
    numbers expected() const {
        numbers h = start, found;
        for (std::size_t t = 0; t < steps; ++t)
            for (std::size_t b = 0; b < batch; ++b)
                found.push_back(h[b] = settings[0] * std::tanh(number("W_h") * x[t * batch + b] +
                                                               number("R_h") * h[b] + number("b_h")));
        return found;
    }
    double sum() const {
        double total = 0;
        for (double const v : expected())
            total += v;
        return total;
    }
};

void check_near(numbers const& found, numbers const& expected, double tolerance) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        CHECK(found[i] == doctest::Approx(expected[i]).epsilon(tolerance));
}

} // namespace

TEST_CASE("planned engine: a sequence is its equations, and ends where the last step does") {
    scene s;
    s.infer();
    check_near(s.y, s.expected(), 1e-13);
    CHECK((s.last[0] == s.y[6] && s.last[1] == s.y[7]));
    s.start = {0, 0};
    auto from_zero = s.sequence();
    from_zero.states = {nullptr}; // no state is one of zeros
    s.engine.infer(program_of(all::graph, all::inference), s.cell(), from_zero);
    check_near(s.y, s.expected(), 1e-13);
}

TEST_CASE("planned engine: gradients are those of differences, whether that of the input is wanted or not") {
    scene s;
    numbers dx(steps * batch);
    auto const found = s.gradients(dx.data());
    CHECK(s.gradients(nullptr) == found);
    constexpr double step = 1e-5;
    auto const slope = [&](double& number) {
        double const kept = number;
        number = kept + step;
        double const above = s.sum();
        number = kept - step;
        double const below = s.sum();
        number = kept;
        return (above - below) / (2 * step);
    };
    numbers expected, of_x;
    for (double& number : s.parameters.values())
        expected.push_back(slope(number));
    for (double& number : s.x)
        of_x.push_back(slope(number));
    check_near(found, expected, 1e-8);
    check_near(dx, of_x, 1e-8);
}

TEST_CASE(
    "planned engine: after a change both directions use the new parameters, and a copy keeps the old ones") {
    scene s;
    auto const before = s.gradients(nullptr);
    scene copy = s;
    s.set({-0.3, 0.8, 0.1});
    s.infer();
    check_near(s.y, s.expected(), 1e-13);
    scene fresh;
    fresh.set({-0.3, 0.8, 0.1});
    CHECK(s.gradients(nullptr) == fresh.gradients(nullptr));
    CHECK(s.gradients(nullptr) != before);
    CHECK(copy.gradients(nullptr) == before);
    CHECK(copy.engine.made() != s.engine.made());
}

TEST_CASE(
    "planned engine: what is made of changed parameters lies where that before did, unless that is used") {
    scene s;
    auto const at = [&] { return s.engine.made().get(); };
    auto const* const first = at();
    auto const before = s.gradients(nullptr);
    s.set({-0.3, 0.8, 0.1});
    CHECK(at() == first);
    s.infer();
    check_near(s.y, s.expected(), 1e-13);
    scene fresh;
    fresh.set({-0.3, 0.8, 0.1});
    CHECK(s.gradients(nullptr) == fresh.gradients(nullptr));
    CHECK(s.gradients(nullptr) != before);

    auto held = s.engine.made(); // as a stream does
    s.set({0.7, 0.2, -0.4});
    auto const* const second = at();
    CHECK(second != first);
    held.reset();
    s.set({0.1, 0.6, 0.5});
    CHECK((at() == first || at() == second));
    scene copy = s;
    s.set({-0.3, 0.8, 0.1});
    CHECK(at() != copy.engine.made().get());
    copy.infer();
    auto const of_copy = copy.y;
    s.infer();
    check_near(s.y, s.expected(), 1e-13);
    check_near(of_copy, copy.expected(), 1e-13);
    CHECK(s.gradients(nullptr) == fresh.gradients(nullptr));
}

TEST_CASE("planned engine: a tape keeps its rows, whatever becomes of those of the caller") {
    scene s;
    numbers dys{0, 1, 0, 1, 0, 1, 0, 1};
    numbers const of_last{3, -5};
    // Row 0 ends before the first step: its state and the gradient of that pass through.
    std::vector<std::size_t> lengths{0, steps};
    auto resets = std::make_unique<bool[]>(steps * batch);
    resets[2 * batch + 1] = true;
    auto given = s.sequence();
    given.rows = {.batch = batch, .lengths = lengths, .resets = {resets.get(), steps * batch}};
    auto const tape = s.engine.forward(program_of(all::graph, all::forward), s.cell(), given);
    CHECK(s.last[0] == s.start[0]);
    CHECK(s.y[0] == 0);
    double const tanh_k =
        0.75 * std::tanh(s.number("W_h") * s.x[5] + s.number("R_h") * s.start[1] + s.number("b_h"));
    CHECK(s.y[5] == doctest::Approx(tanh_k).epsilon(1e-13)); // a reset comes before it
    auto const backward = [&] {
        numbers found(3, 7), of_state(batch, 7);
        s.engine.backward(program_of(all::gradient, all::backward), s.cell(), tape,
                          {.outputs = dys.data(),
                           .final_states = {of_last.data()},
                           .states = {of_state.data()},
                           .parameters = found});
        found.insert(found.end(), of_state.begin(), of_state.end());
        return found;
    };
    auto const found = backward();
    CHECK(found[3] == 3);
    lengths = {steps, 1}; // the caller's, for something else
    resets[2 * batch + 1] = false;
    CHECK(backward() == found);
}

namespace {

/// Of the matrix before the recurrence nothing is trained.
struct with_fixed {
    static constexpr auto equations =
        sluice::lines(next(h) = tanh(x * fixed(matrix<"F", units>) + h * R<"h">));
};

} // namespace

TEST_CASE("planned engine: gradients of what is not trained are zeros, whatever was there") {
    using planned = sluice::plans<with_fixed>;
    auto const blocks = [](kernels const&, sluice::plan_view const& q, int k,
                           sluice::block_frame<double> const& f) {
        sluice::interpret_block<sluice::passes<with_fixed>::operations>(q, k, f);
    };
    auto const parameters = sluice::zero_parameters<with_fixed, double>(extents);
    auto const& array = parameters.array();
    sluice::planned_engine<double, kernels> engine{sluice::page_view{planned::graph, planned::leaves}};
    sluice::cell_numbers<double> const cell{extents, array.places(), array.values(), {}};
    engine.refresh(cell);
    numbers const input{1}, start{0.5};
    numbers y{0}, last{0}, dy{1}, dstate{0}, found{7, 7};
    auto const tape = engine.forward({planned::graph, planned::forward, blocks}, cell,
                                     {.steps = 1,
                                      .rows = {.batch = 1},
                                      .inputs = {input.data()},
                                      .states = {start.data()},
                                      .final_states = {last.data()},
                                      .outputs = y.data()});
    engine.backward({planned::gradient, planned::backward, blocks}, cell, tape,
                    {.outputs = dy.data(),
                     .final_states = {dstate.data()},
                     .states = {dstate.data()},
                     .parameters = found});
    std::size_t const fixed_place = array.place_of("F");
    CHECK(found[array.places()[fixed_place].first] == 0);
    CHECK(found[array.places()[1 - fixed_place].first] == 0.5); // of R: h, as tanh'(0) = 1
}

} // namespace planned_engine_test
