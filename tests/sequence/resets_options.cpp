// SPDX-License-Identifier: BSL-1.0
// What a mask of resets may be, what changes nothing, what is refused, and one row of a stream.
#include <doctest/doctest.h>
#include <mgu/mgu.hpp>
#include <sluice/xtensor.hpp>
#include <sluice/xtensor/reference.hpp>
#include <support/tensors.hpp>

namespace resets_options_test {

using namespace support;
using namespace sluice::literals;
using doctest::Contains;
using bad = std::invalid_argument;

namespace {

using mask_type = xt::xtensor<bool, 2>;

template <class Backend>
struct scene {
    sluice::cell<::mgu, double, Backend> cell{{.input = 3, .units = 5}, sluice::seed{7}};
    xt::xtensor<double, 3> xs = random_sequence<double>(4, 3, 3);
    typename decltype(cell)::state_type state = random_map(cell.zero_state(3), "state");
};

mask_type some_resets() {
    return {{true, false, false}, {false, true, false}, {false, false, true}, {true, true, false}};
}

template <class Cell, class Run>
void check_same(Cell const& cell, Run const& a, Run const& b) {
    CHECK(same_bits(a.outputs, b.outputs));
    CHECK(same_map(a.state, b.state));
    auto const dys = random_like(a.outputs, "dys");
    auto const dstate = random_map(a.state, "dstate");
    auto const g = backward(cell, a, dys, dstate), other = backward(cell, b, dys, dstate);
    CHECK(same_map(g.parameters, other.parameters));
    CHECK(same_bits(g.inputs, other.inputs));
    CHECK(same_map(g.state, other.state));
}

} // namespace

TEST_CASE_TEMPLATE("resets: none, before step 0, and behind the end of a row change no bit", Backend,
                   sluice::xtensor::planned, sluice::xtensor::reference) {
    auto const& [cell, xs, state] = scene<Backend>();
    mask_type mask = xt::zeros<bool>({4, 3});
    check_same(cell, unroll(cell, xs, state, {.resets = mask}), unroll(cell, xs, state));
    xt::view(mask, 0) = true;
    check_same(cell, unroll(cell, xs, state, {.resets = mask}), unroll(cell, xs, state));
    std::vector<std::size_t> const lengths{2, 0, 4};
    auto const ragged = unroll(cell, xs, state, {.lengths = lengths});
    mask(2, 0) = mask(3, 0) = mask(1, 1) = mask(2, 1) = true;
    check_same(cell, unroll(cell, xs, state, {.lengths = lengths, .resets = mask}), ragged);
    mask(3, 2) = true;
    CHECK_FALSE(
        same_bits(unroll(cell, xs, state, {.lengths = lengths, .resets = mask}).outputs, ragged.outputs));
}

TEST_CASE_TEMPLATE("resets: any expression of bool, also of no steps and no rows", Backend,
                   sluice::xtensor::planned, sluice::xtensor::reference) {
    auto const& [cell, xs, state] = scene<Backend>();
    mask_type const mask = some_resets();
    auto const run = unroll(cell, xs, state, {.resets = mask});
    xt::xtensor<float, 2> const done = xt::cast<float>(mask);
    xt::xarray<bool> const any = mask;
    check_same(cell, unroll(cell, xs, state, {.resets = done > 0.5f}), run);
    check_same(cell, unroll(cell, xs, state, {.resets = any}), run);
    check_same(cell, unroll(cell, xs, state, {.resets = xt::view(any, xt::all(), xt::range(0, 3))}), run);
    auto const inferred = infer(cell, xs, state, {.resets = mask});
    CHECK(same_bits(inferred.outputs, run.outputs));
    CHECK(same_map(inferred.state, run.state));

    for (auto const& [time, batch] : {std::pair<std::size_t, std::size_t>{0, 3}, {4, 0}, {0, 0}}) {
        auto const nothing = unroll(cell, random_sequence<double>(time, batch, 3), cell.zero_state(batch),
                                    {.resets = mask_type(xt::ones<bool>({time, batch}))});
        CHECK(all_zero_map(backward(cell, nothing, nothing.outputs).parameters));
    }
}

TEST_CASE_TEMPLATE("resets: a mask of another shape is refused, and nothing changes", Backend,
                   sluice::xtensor::planned, sluice::xtensor::reference) {
    auto const& [cell, xs, state] = scene<Backend>();
    auto const of_shape = [](std::size_t time, std::size_t batch) {
        return mask_type(xt::zeros<bool>({time, batch}));
    };
    CHECK_THROWS_WITH_AS(unroll(cell, xs, state, {.resets = of_shape(3, 4)}),
                         Contains("unroll expects resets of shape [4, 3], but got [3, 4]"), bad);
    CHECK_THROWS_WITH_AS(unroll(cell, xs, state, {.resets = of_shape(4, 1)}), Contains("but got [4, 1]"),
                         bad);
    CHECK_THROWS_WITH_AS(unroll(cell, xs, state, {.resets = of_shape(0, 3)}), Contains("but got [0, 3]"),
                         bad);
    CHECK_THROWS_WITH_AS(infer(cell, xs, state, {.resets = of_shape(5, 3)}), Contains("but got [5, 3]"), bad);
    CHECK_THROWS_WITH_AS(gradient_check(cell, xs, state, {.resets = of_shape(4, 2)}),
                         Contains("but got [4, 2]"), bad);
    xt::xarray<bool> const flat = xt::zeros<bool>({12}), deep = xt::zeros<bool>({4, 3, 1});
    CHECK_THROWS_WITH_AS(unroll(cell, xs, state, {.resets = flat}),
                         Contains("a mask of shape [time, batch], but got one of shape [12]"), bad);
    CHECK_THROWS_WITH_AS(unroll(cell, xs, state, {.resets = deep}), Contains("of shape [4, 3, 1]"), bad);

    mask_type mask = some_resets();
    sluice::reset_mask resets = mask;
    mask_type const elsewhere = std::move(mask);
    CHECK_THROWS_WITH_AS(unroll(cell, xs, state, {.resets = mask}),
                         Contains("the mask of resets was moved from"), bad);
    auto const kept = std::move(resets);
    CHECK_THROWS_WITH_AS(unroll(cell, xs, state, {.resets = resets}),
                         Contains("the mask of resets was moved from"), bad);
    CHECK_NOTHROW(unroll(cell, xs, state, {.resets = kept}));
}

TEST_CASE_TEMPLATE("resets: a row of a stream, which then goes on as a row that is reset", Backend,
                   sluice::xtensor::planned, sluice::xtensor::reference) {
    auto const& [cell, xs, start] = scene<Backend>();
    mask_type const mask = some_resets();
    auto const whole = infer(cell, xs, start, {.resets = mask});
    sluice::stream live(cell, 3, start);
    for (std::size_t t = 0; t < 4; ++t) {
        for (std::size_t row = 0; row < 3; ++row)
            if (mask(t, row))
                live.reset(row);
        CHECK(distance(live.step(xt::view(xs, t)), xt::eval(xt::view(whole.outputs, t))) < 1e-12);
    }
    CHECK(map_distance(live.state(), whole.state) < 1e-12);
    CHECK_THROWS_WITH_AS(live.reset(3), Contains("expects a row of the batch, less than 3, but got 3"), bad);
    CHECK_THROWS_AS(live.reset(static_cast<std::size_t>(-1)), bad);
    CHECK(map_distance(live.state(), whole.state) < 1e-12);
    sluice::stream nothing(cell, 0);
    CHECK_THROWS_AS(nothing.reset(0), bad);
    auto const moved = std::move(live);
    CHECK_THROWS_WITH_AS(live.reset(1), Contains("the stream was moved from"), bad);
}

} // namespace resets_options_test
