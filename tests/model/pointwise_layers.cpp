// SPDX-License-Identifier: BSL-1.0
// Layers without states: what they give, and the trained slope of one.
#include <sluice/model/pointwise_layers.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <sluice/model/model_net.hpp>
#include <sluice/xtensor.hpp>
#include <vector>

namespace pointwise_layers_test {

TEST_CASE("pointwise_layers: each gives its function of each feature") {
    auto const known =
        sluice::model_cells<double, sluice::tanh_layer, sluice::sigmoid_layer, sluice::relu_layer,
                            sluice::elu_layer, sluice::softmax_layer, sluice::prelu_layer>();
    xt::xtensor<double, 3> const xs{{{-1.5, 0.25, 2}}};
    auto const of = [&](char const* name) {
        return sluice::model_net(known, {{name, {.input = 3}}}).infer(xs);
    };
    double const sum = std::exp(-1.5) + std::exp(0.25) + std::exp(2);
    for (std::size_t i = 0; i < 3; ++i) {
        double const x = xs(0, 0, i);
        CHECK(of("tanh_layer")(0, 0, i) == doctest::Approx(std::tanh(x)).epsilon(1e-12));
        CHECK(of("sigmoid_layer")(0, 0, i) == doctest::Approx(1 / (1 + std::exp(-x))).epsilon(1e-12));
        CHECK(of("relu_layer")(0, 0, i) == (x > 0 ? x : 0));
        CHECK(of("elu_layer")(0, 0, i) == doctest::Approx(x > 0 ? x : std::expm1(x)).epsilon(1e-12));
        CHECK(of("softmax_layer")(0, 0, i) == doctest::Approx(std::exp(x) / sum).epsilon(1e-12));
    }
    sluice::model_net slopes(known, {{"prelu_layer", {.input = 3, .units = 3}}});
    slopes.assign("layer0/p_a", std::vector{0.5, 7., 9.});
    CHECK(slopes.infer(xs) == xt::xtensor<double, 3>{{{-0.75, 0.25, 2}}});
    CHECK(slopes.parameter_count() == 3);
    CHECK(sluice::model_net(known, {{"tanh_layer", {.input = 3}}}).parameter_count() == 0);
}

} // namespace pointwise_layers_test
