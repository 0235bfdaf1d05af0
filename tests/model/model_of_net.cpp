// SPDX-License-Identifier: BSL-1.0
// A net of a description, and descriptions that fit no net.
#include <sluice/model/model_of_net.hpp>

#include <doctest/doctest.h>
#include <limits>
#include <sluice/cells/dense.hpp>
#include <sluice/xtensor.hpp>
#include <stdexcept>

namespace model_of_net_test {

TEST_CASE("model_of_net: layers get the parameters that are described, others start as their page says") {
    auto const known = sluice::model_cells<float, sluice::dense>();
    sluice::described_model two{
        .layers = {{{"dense", {.input = 2, .units = 1}}, {{"W_y", {2, 3}}, {"b_y", {0.5}}}},
                   {{"dense", {.units = 1}}, {{"W_y", {-1}}}}}};
    auto const net = sluice::make_model_net(two, known);
    CHECK(net.infer({{{1.f, 10.f}}})(0, 0, 0) == -32.5f);
    CHECK(net.parameters()["layer1/b_y"](0) == 0);

    two.layers[0].parameters[1].called = "b_z";
    CHECK_THROWS_AS(sluice::make_model_net(two, known), std::invalid_argument);
    two.layers[0].parameters[1] = {"b_y", {std::numeric_limits<double>::infinity()}};
    CHECK_THROWS_WITH_AS(sluice::make_model_net(two, known),
                         "sluice: a parameter of a model is finite, but b_y of layer 0 has the number inf",
                         std::invalid_argument);
    two.layers[0].parameters[1] = {"b_y", {1, 2}};
    CHECK_THROWS_AS(sluice::make_model_net(two, known), std::invalid_argument);
    two.layers.clear();
    CHECK_THROWS_AS(sluice::make_model_net(two, known), std::invalid_argument);
}

} // namespace model_of_net_test
