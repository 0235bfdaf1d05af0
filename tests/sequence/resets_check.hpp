// SPDX-License-Identifier: BSL-1.0
// Sequences one after the other in a row, with resets between them, against the same sequences run alone.
#pragma once

#include <doctest/doctest.h>
#include <sluice/xtensor.hpp>
#include <support/tensors.hpp>

namespace resets {

using namespace support;
using size = std::size_t;
using mask_type = xt::xtensor<bool, 2>;

constexpr size time = 6, batch = 5;

/// Not at all; before step 0, which changes nothing, and step 3; before every step; before step 2 and the
/// last; before step 1.
inline mask_type make_mask() {
    mask_type mask = xt::zeros<bool>({time, batch});
    mask(0, 1) = mask(3, 1) = mask(2, 3) = mask(5, 3) = mask(1, 4) = true;
    xt::view(mask, xt::all(), 2) = true;
    return mask;
}

/// Steps [first, last) of row r.
template <class S>
xt::xtensor<S, 3> piece(xt::xtensor<S, 3> const& values, size r, size first, size last) {
    return steps(one_row(values, r), first, last);
}

/// And where they are put.
template <class S>
void put_piece(xt::xtensor<S, 3> const& from, xt::xtensor<S, 3>& to, size r, size first) {
    if (to.size() > 0) // a cell without an input has no gradient of it
        xt::view(to, xt::range(first, first + from.shape()[0]), xt::range(r, r + 1)) = from;
}
template <class Map>
void put_row(Map const& from, Map& to, size r) {
    sluice::for_each_parameter(
        from, [&](auto key, auto const& tensor) { xt::view(to[key], xt::range(r, r + 1)) = tensor; });
}

/// The gradient of a cell without an input has none.
template <class S>
double input_distance(xt::xtensor<S, 3> const& a, xt::xtensor<S, 3> const& b) {
    return a.size() == 0 && b.size() == 0 ? 0 : distance(a, b);
}

template <class Cell>
void check(Cell const& cell, std::vector<size> const& lengths, mask_type const& mask = make_mask()) {
    using S = typename Cell::scalar_type;
    constexpr double near_enough = std::is_same_v<S, float> ? 2e-5 : 1e-12;
    size const most = mask.shape()[0], rows = mask.shape()[1];
    auto const xs = random_sequence<S>(most, rows, cell.input_size());
    auto const state = random_map(cell.zero_state(rows), "state");
    auto const run = unroll(cell, xs, state, {.lengths = lengths, .resets = mask});
    auto const dys = random_like(run.outputs, "dys");
    auto const dstate = random_map(state, "dstate");
    auto const found = backward(cell, run, dys, dstate);

    auto expected = found;
    auto last = state;
    auto outputs = xt::xtensor<S, 3>(xt::zeros_like(run.outputs));
    expected.parameters = scaled(found.parameters, 0);
    expected.inputs.fill(0);
    for (size r = 0; r < rows; ++r) {
        CAPTURE(r);
        size const length = lengths.empty() ? most : lengths[r];
        auto const from = one_row_of_states(state, r);
        auto sum = one_row_of_states(length == 0 ? dstate : scaled(dstate, 0), r);
        for (size begin = 0, end = 0; begin < length; begin = end) {
            for (end = begin + 1; end < length && !mask(end, r);)
                ++end;
            auto const alone = unroll(cell, piece(xs, r, begin, end), from);
            auto const of_state = one_row_of_states(scaled(dstate, end == length ? 1 : 0), r);
            auto const g = backward(cell, alone, piece(dys, r, begin, end), of_state);
            put_piece(alone.outputs, outputs, r, begin);
            put_piece(g.inputs, expected.inputs, r, begin);
            add_map(expected.parameters, g.parameters);
            add_map(sum, g.state);
            put_row(alone.state, last, r);
        }
        put_row(sum, expected.state, r);
    }
    CHECK(distance(run.outputs, outputs) < near_enough);
    CHECK(state_distance(run.state, last) < near_enough);
    CHECK(map_distance(found.parameters, expected.parameters) < near_enough);
    CHECK(input_distance(found.inputs, expected.inputs) < near_enough);
    CHECK(state_distance(found.state, expected.state) < near_enough);

    auto const inferred = infer(cell, xs, state, {.lengths = lengths, .resets = mask});
    CHECK(distance(inferred.outputs, outputs) < near_enough);
    CHECK(state_distance(inferred.state, last) < near_enough);
    auto const without_inputs = backward(cell, run, dys, dstate, {.inputs = false});
    CHECK(same_map(without_inputs.parameters, found.parameters));
    CHECK(same_states(without_inputs.state, found.state));
}

/// Rows that are full, and rows that end: one where it would be reset, one before, one with no step.
template <class Cell>
void check(Cell const& cell) {
    check(cell, {});
    check(cell, {6, 3, 4, 5, 0});
    check(cell, {0, 4, 1, 6, 2});
}

template <class Cell>
void check_gradient(Cell const& cell) {
    auto const xs = random_sequence<double>(time, batch, cell.input_size());
    auto const state = random_map(cell.zero_state(batch), "state");
    for (std::vector<size> const& lengths : {std::vector<size>{}, {6, 3, 4, 5, 0}}) {
        auto const worst =
            gradient_check(cell, xs, state, {.lengths = lengths, .resets = make_mask()}).worst();
        CAPTURE(worst.called);
        CHECK(worst.largest < 1e-7);
    }
}

} // namespace resets
