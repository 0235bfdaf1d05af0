// SPDX-License-Identifier: BSL-1.0
// What tests of adapted pages share: random inputs of every name, and that two pages are one cell.
#pragma once

#include <support/agreement.hpp>

namespace adapted {

using namespace support;

/// Random numbers for all inputs of a cell, masks too: they need not be 0 and 1 for the equations to hold.
template <class Cell>
typename Cell::inputs_type random_inputs(Cell const& cell, std::size_t time, std::size_t batch) {
    typename Cell::inputs_type all;
    for (std::size_t k = 0; k < static_cast<std::size_t>(cell.input_count()); ++k) {
        auto const& entry = sluice::passes<typename Cell::page_type>::inputs[static_cast<int>(k)];
        sluice::nth_input(all, k) =
            random_sequence<double>(time, batch, extent(entry.columns, cell.extents()), entry.called.view());
    }
    return all;
}

/// Two pages with the same inputs, states and parameters give the same, forward and backward, and their
/// gradient is that of differences.
template <class Page, class Other>
void are_the_same(sluice::sizes const& n) {
    sluice::cell<Page, double> one(n);
    sluice::cell<Other, double, sluice::xtensor::reference> other(n);
    randomize(one);
    randomize(other);
    CHECK(names(one.parameters()) == names(other.parameters()));
    auto const inputs = random_inputs(one, 4, 3);
    auto const state = random_map(one.zero_state(3), "state");
    auto const inputs_there = random_inputs(other, 4, 3);
    auto const state_there = random_map(other.zero_state(3), "state");

    std::vector<std::size_t> const lengths{3, 0, 4};
    auto const run = unroll(one, inputs, state, {.lengths = lengths});
    auto const there = unroll(other, inputs_there, state_there, {.lengths = lengths});
    double const rounding = 1e-14;
    CHECK(distance(run.outputs, there.outputs) < rounding);
    CHECK(state_distance(run.state, there.state) < rounding);
    auto const dys = random_like(run.outputs, "dys");
    auto const d = backward(one, run, dys, random_map(one.zero_state(3), "dstate"));
    auto const d_there = backward(other, there, dys, random_map(other.zero_state(3), "dstate"));
    CHECK(map_distance(d.parameters, d_there.parameters) < rounding);
    CHECK(state_distance(d.state, d_there.state) < rounding);
    for (std::size_t k = 0; k < static_cast<std::size_t>(one.input_count()); ++k)
        CHECK(distance(sluice::nth_input(d.inputs, k), sluice::nth_input(d_there.inputs, k)) < rounding);

    auto const report = gradient_check(one, inputs, state, {.lengths = lengths});
    for (auto const& tensor : report.tensors) {
        CAPTURE(tensor.called);
        CHECK(tensor.largest < 1e-7);
    }
}

/// The names of a page's parameters are these.
template <class Page>
constexpr bool has_parameters(std::initializer_list<std::string_view> expected) {
    auto const& all = sluice::passes<Page>::parameters;
    bool same = static_cast<std::size_t>(all.size()) == expected.size();
    for (int i = 0; same && i < all.size(); ++i)
        same = all[i].called.view() == expected.begin()[i];
    return same;
}

/// Numbers 0 and 1, both of them.
template <class Tensor>
Tensor of_zeros_and_ones(Tensor const& like, std::string_view called) {
    Tensor mask = random_like(like, called);
    for (double& number : mask)
        number = number > 0.2 ? 1 : 0;
    return mask;
}

} // namespace adapted
