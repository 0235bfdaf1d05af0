// SPDX-License-Identifier: BSL-1.0
// A lowering that works on tensors as an engine between addresses: what runs a cell by itself, run again.
#include <sluice/net/lowering_engine.hpp>

#include <doctest/doctest.h>
#include <sluice/cell/lstm.hpp>
#include <sluice/xtensor.hpp>
#include <support/tensors.hpp>
#include <vector>

namespace {

using namespace sluice::literals;
using cell_type = sluice::cell<sluice::lstm, double>;
using engine_type = sluice::lowering_engine<cell_type, sluice::xtensor::kernels>;
using numbers = std::vector<double>;

constexpr std::size_t steps = 4, batch = 3, width = 5;

} // namespace

TEST_CASE("lowering engine: outputs, states and gradients are those of the cell, with lengths and resets") {
    cell_type const cell({.input = 2, .units = width}, sluice::seed{3});
    engine_type const engine(cell);
    auto const& array = cell.parameters().array();
    engine_type::numbers const of_cell{cell.extents(), array.places(), array.values(), {}};
    auto const xs = support::random_sequence<double>(steps, batch, 2);
    auto state = support::random_map(cell.zero_state(batch), "state"), dstate = support::random_map(state, "dstate");
    auto dys = support::random_sequence<double>(steps, batch, width, "dys");
    std::vector<std::size_t> const lengths{4, 0, 2};
    xt::xtensor<bool, 2> resets = xt::zeros<bool>({steps, batch});
    resets(2, 0) = resets(1, 2) = true;
    for (bool const has_rows : {false, true}) {
        CAPTURE(has_rows);
        sluice::unroll_options options;
        if (has_rows)
            options = {.lengths = lengths, .resets = resets};
        auto const run = sluice::unroll(cell, xs, state, options);
        auto const expected = sluice::backward(cell, run, dys, dstate);

        auto ys = xt::xtensor<double, 3>::from_shape({steps, batch, width}), again = ys;
        auto last = cell.zero_state(batch), last_again = last;
        auto padded = xs;
        sluice::detail::clear_padding(padded, options.lengths);
        sluice::engine_sequence<double> given{.steps = steps,
                                              .rows = {batch, options.lengths, options.resets.values()},
                                              .inputs = {padded.data()},
                                              .states = sluice::addresses_of<double const>(state),
                                              .final_states = sluice::addresses_of<double>(last),
                                              .outputs = ys.data()};
        auto const tape = engine.forward({}, of_cell, given);
        given.final_states = sluice::addresses_of<double>(last_again);
        given.outputs = again.data();
        engine.infer({}, of_cell, given);
        CHECK(ys == run.outputs);
        CHECK(again == run.outputs);
        CHECK(last["c"_s] == run.state["c"_s]);
        CHECK(last_again["h"_s] == run.state["h"_s]);

        auto dxs = xs;
        auto found = cell.zero_state(batch);
        numbers gradients(array.values().size() + 2, -1); // in a larger array
        std::vector<sluice::tensor_place> places(array.places().begin(), array.places().end());
        for (auto& place : places)
            place.first += 2;
        auto padding = dys;
        sluice::detail::clear_padding(padding, options.lengths);
        engine.backward({}, of_cell, tape,
                        {.outputs = padding.data(),
                         .final_states = sluice::addresses_of<double const>(dstate),
                         .states = sluice::addresses_of<double>(found),
                         .inputs = {dxs.data()},
                         .parameters = gradients,
                         .places = places});
        CHECK(dxs == expected.inputs);
        CHECK(found["h"_s] == expected.state["h"_s]);
        CHECK(std::ranges::equal(std::span<double const>(gradients).subspan(2), expected.parameters.values()));
        CHECK((gradients[0] == -1 && gradients[1] == -1));
    }
}
