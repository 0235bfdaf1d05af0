// SPDX-License-Identifier: BSL-1.0
// Masks inside of cells, those of the CPU, and cuDNN's own between layers.
#include "resident.hpp"
#include <sluice/cell/adapt/recurrent_dropout.hpp>
#include <sluice/cell/adapt/zoneout.hpp>
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/gru.hpp>

namespace resident_masks_test {

using namespace resident_test;
using sluice::direction;

TEST_CASE("resident masks: zoneout and recurrent dropout on the device have the masks of the CPU") {
    using page = sluice::zoneout<sluice::recurrent_dropout<sluice::gru>>;
    check_net<page, double, generated>({.input = 3, .units = 5}, {.layers = 2,
                                                                  .direction = direction::bidirectional,
                                                                  .dropout = 0.2,
                                                                  .zoneout = 0.3,
                                                                  .recurrent_dropout = 0.4});
}

TEST_CASE("resident masks: what cuDNN drops between layers is the same on its way from the host and on the "
          "device") {
    using net_type = sluice::stack<sluice::canonical_lstm, float, device>;
    auto const host = shuffled(net_type({.input = 3, .units = 5}, {.layers = 3, .dropout = 0.5}));
    resident const net(host);
    auto const xs = random_sequence<float>(5, 3, 3);
    auto const expected = unroll(host, xs, host.zero_state(3), {.draw = 4});
    auto const run = unroll(net, send(xs), net.zero_state(3), {.draw = 4});
    CHECK(same_bits(fetch(run.outputs), expected.outputs));
    auto const wanted = backward(host, expected, expected.outputs);
    auto const found = backward(net, run, run.outputs);
    check_near(fetch(found.inputs), wanted.inputs);
    check_values(net.fetch(found.parameters).values(), wanted.parameters.values());
    auto const another = unroll(net, send(xs), net.zero_state(3), {.draw = 5});
    CHECK_FALSE(same_bits(fetch(another.outputs), expected.outputs));
}

TEST_CASE("resident masks: without a number of their own, draws on the device are those of the host's net in "
          "reverse") {
    using net_type = sluice::stack<sluice::gru, double, generated>;
    auto const host = shuffled(net_type({.input = 3, .units = 4}, {.layers = 2, .dropout = 0.5}));
    resident const net(host);
    auto const xs = random_sequence<double>(4, 2, 3);
    for (int i = 0; i < 2; ++i) {
        auto const expected = unroll(host, xs, host.zero_state(2));
        auto const run = unroll(net, send(xs), net.zero_state(2));
        CHECK(run.draw == expected.draw);
        check_near(fetch(run.outputs), expected.outputs);
    }
}

} // namespace resident_masks_test
