// SPDX-License-Identifier: BSL-1.0
// x may be any expression of xtensor: lazy, a view, run-time rank, column-major, of another element type.
#include <doctest/doctest.h>
#include <mgu/mgu.hpp>
#include <sluice/core/xtensor.hpp>
#include <support/tensors.hpp>

namespace containers_test {

using namespace support;
using namespace sluice::literals;

TEST_CASE_TEMPLATE("one step and a sequence take any expression", S, float, double) {
    sluice::cell<::mgu, S> const cell({.input = 3, .units = 7}, sluice::seed{2});
    auto const xs = random_sequence<S>(4, 2, 3);
    auto const state = random_map(cell.zero_state(2), "state");
    xt::xtensor<S, 2> const x = xt::view(xs, 1);
    auto const expected = cell(x, state).output;
    auto const run = unroll(cell, xs, state);
    auto const dys = random_like(run.outputs, "dys");
    auto const g = backward(cell, run, dys);

    SUBCASE("lazy expressions and views") {
        CHECK(same_bits(cell(x * S(1), state).output, expected));
        CHECK(same_bits(cell(xt::view(xs, 1), state).output, expected));
        CHECK(same_bits(cell(xt::view(xs, 1, xt::all(), xt::all()), state).output, expected));
        CHECK(same_bits(unroll(cell, xs + S(0), state).outputs, run.outputs));
        CHECK(
            same_bits(unroll(cell, xt::view(xs, xt::range(0, 2)), state).outputs, steps(run.outputs, 0, 2)));
        CHECK(same_map(backward(cell, run, dys + S(0)).parameters, g.parameters));
    }
    SUBCASE("strided views and transposes") {
        xt::xtensor<S, 3> batch_major = xt::transpose(xs, {1, 0, 2});
        CHECK(same_bits(unroll(cell, xt::transpose(batch_major, {1, 0, 2}), state).outputs, run.outputs));
        xt::xtensor<S, 3> wide = xt::zeros<S>({4, 2, 6});
        xt::view(wide, xt::all(), xt::all(), xt::range(0, 6, 2)) = xs;
        CHECK(same_bits(unroll(cell, xt::view(wide, xt::all(), xt::all(), xt::range(0, 6, 2)), state).outputs,
                        run.outputs));
    }
    SUBCASE("run-time rank") {
        xt::xarray<S> const x_array = x, xs_array = xs, dys_array = dys;
        CHECK(same_bits(cell(x_array, state).output, expected));
        CHECK(same_bits(unroll(cell, xs_array, state).outputs, run.outputs));
        CHECK(same_bits(backward(cell, run, dys_array).inputs, g.inputs));
    }
    SUBCASE("column-major") {
        xt::xtensor<S, 2, xt::layout_type::column_major> const x_turned = x;
        xt::xtensor<S, 3, xt::layout_type::column_major> const xs_turned = xs, dys_turned = dys;
        CHECK(same_bits(cell(x_turned, state).output, expected));
        CHECK(same_bits(unroll(cell, xs_turned, state).outputs, run.outputs));
        auto const turned = backward(cell, run, dys_turned);
        CHECK(same_bits(turned.inputs, g.inputs));
        CHECK(same_map(turned.parameters, g.parameters));
        xt::xarray<S, xt::layout_type::column_major> const array_turned = xs;
        CHECK(same_bits(unroll(cell, array_turned, state).outputs, run.outputs));
    }
    SUBCASE("memory of somebody else") {
        std::vector<S> const memory(x.begin(), x.end());
        CHECK(same_bits(cell(xt::adapt(memory, std::array<std::size_t, 2>{2, 3}), state).output, expected));
    }
    SUBCASE("an expression of the run's own outputs") {
        CHECK(same_map(backward(cell, run, S(2) * run.outputs).parameters,
                       backward(cell, run, xt::xtensor<S, 3>(S(2) * run.outputs)).parameters));
    }
}

} // namespace containers_test
