// SPDX-License-Identifier: BSL-1.0
// A cell of a net: what the passes say of a page, in numbers.
#include <sluice/lower/kernels.hpp>
#include <sluice/net/page_cell.hpp>

#include <doctest/doctest.h>
#include <sluice/expr/vocabulary.hpp>
#include <sluice/graph/passes.hpp>
#include <sluice/net/host_memory.hpp>
#include <vector>

namespace {

using namespace sluice::equation;
using memory = sluice::host_memory<double, sluice::no_kernels>;
using widths = std::vector<std::size_t>;

constexpr auto context = input<"context", 5>;
constexpr auto c = state<"c">;

struct two_inputs {
    static constexpr auto equations =
        sluice::lines(next(h) = context + x * W<"h">, next(c) = h - c, output = next(c));
};
struct no_input {
    static constexpr auto equations = sluice::lines(next(h) = tanh(h));
};

sluice::net<memory> made(sluice::basic_entries<sluice::view> const& page) {
    static constexpr double settings[]{0.5};
    static sluice::tensor_place const places[]{
        {.called = "W_h", .rank = 2, .extents = {1, 3, 5}, .trained = true, .first = 7}};
    sluice::net<memory> net;
    net.layers.resize(4); // what was there is gone
    net.places.resize(4);
    sluice::detail::make_net_of_cell(page, {{.input = 3, .units = 5}, places, {}, settings}, nullptr, net);
    return net;
}

} // namespace

TEST_CASE("page cell: one layer in one direction, with the widths of its inputs, states and outputs") {
    auto const net = made(sluice::passes<two_inputs>::entries);
    CHECK(net.is_cell);
    REQUIRE(net.layers.size() == 1);
    auto const& layer = net.layers[0];
    REQUIRE(layer.ways.size() == 1);
    auto const& way = layer.ways[0];
    CHECK(way.widths == widths{5, 3}); // in the order of the equations
    CHECK(way.has_inputs);
    CHECK(way.extents.units == 5);
    CHECK(way.settings == std::vector<double>{0.5});
    REQUIRE(way.places.size() == 1);
    CHECK(way.places[0].first == 7);
    CHECK(layer.output == 5);
    CHECK(layer.states == widths{0, 1});
    REQUIRE(net.places.size() == 2);
    CHECK(net.places[0].called == "h");
    CHECK(net.places[1].called == "c");
    CHECK(net.places[1].rows == 1);
    CHECK(net.places[1].width == 5);
    CHECK(net.parameters.size() == 1);
}

TEST_CASE("page cell: equations without an input read x, which says how many rows there are") {
    auto const net = made(sluice::passes<no_input>::entries);
    CHECK(net.layers[0].ways[0].widths == widths{3});
    CHECK_FALSE(net.layers[0].ways[0].has_inputs);
    CHECK(net.layers[0].input == 3);
}
