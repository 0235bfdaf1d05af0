// SPDX-License-Identifier: BSL-1.0
// Penalties on the parameters of a net that stays on the device.
#include "resident.hpp"
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cudnn.hpp>

namespace training_penalty_test {

using namespace resident_test;

TEST_CASE("training penalty: of a stack on the device, what it is on the host") {
    using device_net = sluice::stack<sluice::cudnn_gru, double, device>;
    auto const host = shuffled(device_net({.input = 3, .units = 5}, {.layers = 2}));
    resident const net(host);
    sluice::penalty here(host);
    sluice::penalty there(net);
    CHECK(there.loss(net) == 0);
    here.regularize("layer0/W_r", {.l1 = 0.3, .l2 = 0.2});
    there.regularize("layer0/W_r", {.l1 = 0.3, .l2 = 0.2});
    here.regularize("layer1/b_u", {.l2 = 0.7});
    there.regularize("layer1/b_u", {.l2 = 0.7});
    CHECK(there.loss(net) == doctest::Approx(here.loss(host)).epsilon(1e-13));
    CHECK(there.loss(net) > 0);

    auto const xs = random_sequence<double>(3, 2, 3);
    auto const run = unroll(net, send(xs), net.zero_state(2));
    auto found = backward(net, run, run.outputs).parameters;
    auto wanted = net.fetch(found);
    here.add_gradient(host, wanted);
    there.add_gradient(net, found);
    check_values(net.fetch(found).values(), wanted.values());
    CHECK_THROWS_WITH_AS(there.regularize("layer2/W_r", {.l1 = 1}),
                         doctest::Contains("there is no parameter layer2/W_r"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(sluice::sgd(net).freeze("layer2/W_r"),
                         doctest::Contains("there is no parameter layer2/W_r"), std::invalid_argument);
    auto const taken = std::move(found);
    CHECK_THROWS_WITH_AS(there.add_gradient(net, found),
                         "sluice: the map of gradients was moved from; use what it was moved to",
                         std::invalid_argument);
    resident const other(shuffled(device_net({.input = 3, .units = 6}, {.layers = 2})));
    auto const wider = unroll(other, send(xs), other.zero_state(2));
    auto gradients = backward(other, wider, wider.outputs).parameters;
    CHECK_THROWS_AS(there.add_gradient(net, gradients), std::invalid_argument);
}

} // namespace training_penalty_test
