// SPDX-License-Identifier: BSL-1.0
// What holds for every cell in every backend, whatever its equations are:
//
//   gradients    backward = central differences, with and without lengths; in float, backward in double
//   steps        unroll = repeated steps
//   joints       unroll(first + second) = unroll(first), unroll(second); gradients are chained by the state
//   linearity    backward(a u + b v) = a backward(u) + b backward(v)
//   lengths      a sequence in a batch = the shorter sequence alone; padding is never looked at
//   rows         rows of the batch do not see each other
#pragma once

#include <doctest/doctest.h>
#include <support/agreement.hpp>

namespace laws {

using namespace support;
using sluice::for_each_parameter;

/// How far rounding may move a result, relative to its norm. Forward, five steps of sums of a dozen products
/// follow each other, about 64 roundings; backward repeats them and sums over the batch and time: eight times
/// as many.
template <class Subject>
constexpr double forward_rounding = 64.0 * std::numeric_limits<typename Subject::scalar>::epsilon();
template <class Subject>
constexpr double backward_rounding = 8 * forward_rounding<Subject>;

template <class Gradients, class Expected>
double gradient_distance(Gradients const& a, Expected const& b) {
    return worse(map_distance(a.parameters, b.parameters),
                 worse(distance(a.inputs, b.inputs), state_distance(a.state, b.state)));
}

template <class Subject>
void gradients_are_exact() {
    auto const check = [](std::size_t time, std::vector<std::size_t> lengths) {
        example<Subject> const e(time, 3);
        if constexpr (std::is_same_v<typename Subject::scalar, float>) {
            example<typename Subject::in_double> const sharp(time, 3);
            auto const of = [&](auto const& scene) {
                return backward(scene.cell, unroll(scene.cell, scene.xs, scene.state, {.lengths = lengths}),
                                scene.dys, scene.dstate);
            };
            CHECK(gradient_distance(of(e), of(sharp)) < backward_rounding<Subject>);
        } else {
            auto const report = gradient_check(e.cell, e.xs, e.state, {.lengths = lengths});
            CHECK(report.tensors.size() == 1 + names(e.cell.parameters()).size() + names(e.state).size());
            for (auto const& tensor : report.tensors) {
                CAPTURE(tensor.called);
                CHECK(tensor.largest < 1e-7);
            }
        }
    };
    check(1, {});
    check(4, {});
    check(4, {2, 0, 4});
}

template <class Subject>
void unroll_is_repeated_steps() {
    example<Subject> const e(4, 3);
    auto const run = unroll(e.cell, e.xs, e.state);
    auto state = e.state;
    for (std::size_t t = 0; t < e.time; ++t) {
        auto step = e.cell(xt::view(e.xs, t), state);
        CHECK(distance(step.output, xt::view(run.outputs, t)) < forward_rounding<Subject>);
        state = step.state;
    }
    CHECK(state_distance(run.state, state) < forward_rounding<Subject>);
}

template <class Subject>
void unroll_of_a_joint_is_two_unrolls() {
    example<Subject> const e(5, 2);
    auto const whole = unroll(e.cell, e.xs, e.state);
    auto const first = unroll(e.cell, steps(e.xs, 0, 2), e.state);
    auto const second = unroll(e.cell, steps(e.xs, 2, 5), first.state);
    CHECK(distance(steps(whole.outputs, 0, 2), first.outputs) < forward_rounding<Subject>);
    CHECK(distance(steps(whole.outputs, 2, 5), second.outputs) < forward_rounding<Subject>);
    CHECK(state_distance(whole.state, second.state) < forward_rounding<Subject>);

    auto const of_whole = backward(e.cell, whole, e.dys, e.dstate);
    auto const of_second = backward(e.cell, second, steps(e.dys, 2, 5), e.dstate);
    auto const of_first = backward(e.cell, first, steps(e.dys, 0, 2), of_second.state);
    auto sum = of_first.parameters;
    add_map(sum, of_second.parameters);
    CHECK(map_distance(sum, of_whole.parameters) < backward_rounding<Subject>);
    CHECK(state_distance(of_first.state, of_whole.state) < backward_rounding<Subject>);
    CHECK(distance(of_first.inputs, steps(of_whole.inputs, 0, 2)) < backward_rounding<Subject>);
    CHECK(distance(of_second.inputs, steps(of_whole.inputs, 2, 5)) < backward_rounding<Subject>);
}

template <class Subject>
void backward_is_linear() {
    using scalar = typename Subject::scalar;
    example<Subject> const e(3, 2);
    auto const run = unroll(e.cell, e.xs, e.state, {.lengths = {3, 1}});
    auto const other_dys = random_like(e.dys, "other dys");
    auto const other_dstate = random_map(e.dstate, "other dstate");
    auto const u = backward(e.cell, run, e.dys, e.dstate);
    auto const v = backward(e.cell, run, other_dys, other_dstate);

    scalar const a = 2, b = -3;
    auto dstate = scaled(e.dstate, a);
    add_map(dstate, other_dstate, b);
    auto const both = backward(e.cell, run, a * e.dys + b * other_dys, dstate);
    auto sum = u;
    sum.inputs = a * u.inputs + b * v.inputs;
    sum.parameters = scaled(u.parameters, a);
    add_map(sum.parameters, v.parameters, b);
    sum.state = scaled(u.state, a);
    add_map(sum.state, v.state, b);
    CHECK(gradient_distance(both, sum) < backward_rounding<Subject>);

    auto const none = backward(e.cell, run, scalar(0) * e.dys);
    CHECK(all_zero_map(none.parameters));
    CHECK(all_zero(none.inputs));
}

template <class Subject>
void lengths_are_shorter_unrolls() {
    example<Subject> const e(4, 4);
    std::vector<std::size_t> const lengths{4, 0, 1, 3};
    auto const run = unroll(e.cell, e.xs, e.state, {.lengths = lengths});
    CHECK(run.lengths == lengths);
    auto const whole = backward(e.cell, run, e.dys, e.dstate);
    auto sum = scaled(whole.parameters, 0);
    for (std::size_t b = 0; b < e.batch; ++b) {
        CAPTURE(b);
        std::size_t const length = lengths[b];
        auto const state = one_row_of_states(e.state, b);
        auto const alone = unroll(e.cell, steps(one_row(e.xs, b), 0, length), state);
        auto const outputs = one_row(run.outputs, b);
        CHECK(alone.outputs.shape()[0] == length);
        if (length > 0)
            CHECK(distance(steps(outputs, 0, length), alone.outputs) < forward_rounding<Subject>);
        else
            CHECK(same_states(one_row_of_states(run.state, b), state));
        if (length < e.time)
            CHECK(all_zero(steps(outputs, length, e.time)));
        CHECK(state_distance(one_row_of_states(run.state, b), alone.state) < forward_rounding<Subject>);

        auto const g =
            backward(e.cell, alone, steps(one_row(e.dys, b), 0, length), one_row_of_states(e.dstate, b));
        add_map(sum, g.parameters);
        auto const inputs = one_row(whole.inputs, b);
        if (length > 0)
            CHECK(distance(steps(inputs, 0, length), g.inputs) < backward_rounding<Subject>);
        if (length < e.time)
            CHECK(all_zero(steps(inputs, length, e.time)));
        CHECK(state_distance(one_row_of_states(whole.state, b), g.state) < backward_rounding<Subject>);
    }
    CHECK(map_distance(sum, whole.parameters) < backward_rounding<Subject>);
}

template <class Subject>
void padding_is_never_looked_at() {
    using scalar = typename Subject::scalar;
    example<Subject> e(3, 3);
    std::vector<std::size_t> const lengths{1, 3, 0};
    auto const clean = unroll(e.cell, e.xs, e.state, {.lengths = lengths});
    auto const expected = backward(e.cell, clean, e.dys, e.dstate);
    for (scalar const garbage :
         {std::numeric_limits<scalar>::quiet_NaN(), std::numeric_limits<scalar>::infinity(), scalar(1e30)}) {
        for (std::size_t t = 0; t < e.time; ++t)
            for (std::size_t b = 0; b < e.batch; ++b)
                if (t >= lengths[b]) {
                    xt::view(e.xs, t, b) = garbage;
                    xt::view(e.dys, t, b) = garbage;
                }
        auto const run = unroll(e.cell, e.xs, e.state, {.lengths = lengths});
        CHECK(same_bits(run.outputs, clean.outputs));
        CHECK(same_states(run.state, clean.state));
        auto const g = backward(e.cell, run, e.dys, e.dstate);
        CHECK(same_map(g.parameters, expected.parameters));
        CHECK(same_states(g.state, expected.state));
        CHECK(same_bits(g.inputs, expected.inputs));
    }
}

template <class Subject>
void rows_do_not_see_each_other() {
    using scalar = typename Subject::scalar;
    example<Subject> e(3, 3);
    auto const run = unroll(e.cell, e.xs, e.state);
    auto const g = backward(e.cell, run, e.dys, e.dstate);
    // another row 1 in everything
    xt::view(e.xs, xt::all(), 1) = xt::view(random_like(e.xs, "other"), xt::all(), 1);
    xt::view(e.dys, xt::all(), 1) = scalar(7);
    for_each_parameter(e.state, [](auto, auto& tensor) { xt::view(tensor, 1) = scalar(-2); });
    for_each_parameter(e.dstate, [](auto, auto& tensor) { xt::view(tensor, 1) = scalar(5); });
    auto const other = unroll(e.cell, e.xs, e.state);
    auto const of_other = backward(e.cell, other, e.dys, e.dstate);
    for (std::size_t b : {0u, 2u}) {
        CHECK(same_bits(one_row(run.outputs, b), one_row(other.outputs, b)));
        CHECK(same_states(one_row_of_states(run.state, b), one_row_of_states(other.state, b)));
        CHECK(same_bits(one_row(g.inputs, b), one_row(of_other.inputs, b)));
        CHECK(same_states(one_row_of_states(g.state, b), one_row_of_states(of_other.state, b)));
    }
    CHECK_FALSE(same_bits(one_row(run.outputs, 1), one_row(other.outputs, 1)));
    CHECK_FALSE(same_map(g.parameters, of_other.parameters));
}

template <class Subject>
void every_law() {
    SUBCASE("gradients") {
        gradients_are_exact<Subject>();
    }
    SUBCASE("steps") {
        unroll_is_repeated_steps<Subject>();
    }
    SUBCASE("joints") {
        unroll_of_a_joint_is_two_unrolls<Subject>();
    }
    SUBCASE("linearity") {
        backward_is_linear<Subject>();
    }
    SUBCASE("lengths") {
        lengths_are_shorter_unrolls<Subject>();
    }
    SUBCASE("padding") {
        padding_is_never_looked_at<Subject>();
    }
    SUBCASE("rows") {
        rows_do_not_see_each_other<Subject>();
    }
}

} // namespace laws
