// SPDX-License-Identifier: BSL-1.0
// CudnnGRU in numbers: outputs and states of one and two layers, in one direction and both, that tell gates,
// matrices, layers and directions apart; skipped input; and the shapes of TensorFlow's shape inference test.
#include <sequence/cudnn.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <support/tensorflow.hpp>

namespace cudnn_vectors_test {

using namespace support::tensorflow;
using namespace sluice::literals;
using gru_layers = sluice::cudnn_gru_layers<double>;

namespace {

/// The layers whose parameters are the patterns of layer and direction, their input and their first state.
struct pattern {
    gru_layers net;
    xt::xtensor<double, 3> xs = xt::zeros<double>({3, 2, 3});
    xt::xtensor<double, 3> input_h;

    pattern(std::size_t layers, sluice::direction way)
        : net({.num_layers = layers, .num_units = 2, .input_size = 3, .direction = way}),
          input_h(xt::zeros<double>({layers * net.directions(), std::size_t{2}, std::size_t{2}})) {
        auto canonical = net.params_to_canonical(net.params());
        for (std::size_t s = 0; s < layers * net.directions(); ++s) {
            for (std::size_t k = 0; k < 3; ++k) {
                std::size_t const width = canonical.weights[6 * s + k].shape()[1];
                canonical.weights[6 * s + k] = fill(2, width, 7, 3 + s + k);
                canonical.weights[6 * s + 3 + k] = fill(2, 2, 5, 1 + s + k);
                canonical.biases[6 * s + k] = fill_vector(2, 5, 2 + s + k);
                canonical.biases[6 * s + 3 + k] = fill_vector(2, 3, 1 + s + k);
            }
            xt::view(input_h, s) = fill(2, 2, 3, 2 + s);
        }
        net.set_params(net.canonical_to_params(canonical));
        for (std::size_t t = 0; t < 3; ++t)
            xt::view(xs, t) = fill(2, 3, 4, 1 + t);
    }
};

constexpr double rounding = 1e-14;

} // namespace

TEST_CASE("cudnn layers: the numbers of one layer and of two") {
    pattern const one(1, sluice::direction::unidirectional), two(2, sluice::direction::unidirectional);
    auto const of_one = one.net(one.xs, one.input_h, false);
    CHECK(std::abs(xt::sum(of_one.outputs)() + 0.353172423001586) < rounding);
    CHECK(std::abs(xt::sum(of_one.state["h"_s])() + 0.344876698067818) < rounding);
    CHECK(off(xt::xtensor<double, 2>(xt::view(of_one.outputs, 2)),
              {-0.0310147985284927, -0.00688961136568005, -0.106567619279094, -0.200404668894552}) <
          rounding);
    auto const of_two = two.net(two.xs, two.input_h, false);
    CHECK(std::abs(xt::sum(of_two.outputs)() - 0.190982736504776) < rounding);
    CHECK(std::abs(xt::sum(of_two.state["h"_s])() + 0.278276994185669) < rounding);
    CHECK(off(xt::xtensor<double, 2>(xt::view(of_two.outputs, 2)),
              {0.165343764993993, -0.108958518068175, 0.255903083094948, -0.245688626138617}) < rounding);
}

TEST_CASE("cudnn layers: the numbers of two layers in both directions, and the rows of their states") {
    pattern const e(2, sluice::direction::bidirectional);
    for (bool const is_training : {false, true}) {
        auto const run = e.net(e.xs, e.input_h, is_training);
        CHECK(std::abs(xt::sum(run.outputs)() - 1.74357869105048) < rounding);
        CHECK(std::abs(xt::sum(run.state["h"_s])() - 0.368926876509006) < rounding);
        CHECK(off(xt::xtensor<double, 2>(xt::view(run.outputs, 2)),
                  {0.299902227386039, 0.0791760572131868, -0.0675543357038404, 0.272893806280606,
                   0.40575668097103, 0.0370086259529989, -0.397879864746369, -0.0181716992812375}) <
              rounding);
        CHECK(off(run.state["h"_s],
                  {-0.0310147985284927, -0.00688961136568005, -0.106567619279094, -0.200404668894552,
                   0.209484588294716, -0.0762001698185118, 0.133918628916306, -0.286061603702743,
                   0.299902227386039, 0.0791760572131868, 0.40575668097103, 0.0370086259529989,
                   -0.198925562748064, 0.293098015655095, -0.278534349638228, 0.0951804360949996}) <
              rounding);
    }
}

TEST_CASE(
    "cudnn layers: a step of the first layer, and of the compatible cell that reads it from the saver") {
    pattern const e(2, sluice::direction::bidirectional);
    sluice::cell<sluice::cudnn_gru, double> cell({.input = 3, .units = 2});
    e.net.saved().read_into(cell, 0);
    auto state = cell.zero_state(2);
    state["h"_s] = fill(2, 2, 3, 2);
    CHECK(off(cell(fill(2, 3, 4, 1), state).output,
              {-0.0429105729713751, 0.0960943292021129, 0.20089204852732, -0.234194506172416}) < rounding);
}

TEST_CASE("cudnn layers: parameters of zero and a skipped input") {
    for (auto const mode : {sluice::input_mode::skip_input, sluice::input_mode::auto_select}) {
        gru_layers net({.num_units = 1, .input_size = 1, .input_mode = mode});
        CHECK(net.input_mode() == sluice::input_mode::skip_input);
        net.set_params(std::vector<double>(net.params_size()));
        auto const run = net(xt::ones<double>({1, 1, 1}), net.zero_state(1), false);
        CHECK(std::abs(run.outputs(0, 0, 0) - 0.20482421480982513) < 1e-16);
    }
    gru_layers linear({.num_units = 1, .input_size = 2, .input_mode = sluice::input_mode::auto_select});
    CHECK(linear.input_mode() == sluice::input_mode::linear_input);
}

TEST_CASE("cudnn layers: biases count where the input is skipped") {
    gru_layers net({.num_units = 1, .input_size = 1, .input_mode = sluice::input_mode::skip_input});
    // all of the input's biases 0.25, those of the state -0.5, no recurrent matrices
    net.set_params(std::vector<double>{0, 0, 0, .25, .25, .25, -.5, -.5, -.5});
    auto const run = net(xt::ones<double>({1, 1, 1}), net.zero_state(1), false);
    auto const logistic = [](double z) { return 1 / (1 + std::exp(-z)); };
    double const gates = logistic(1 + 0.25 - 0.5);
    CHECK(std::abs(run.outputs(0, 0, 0) - (1 - gates) * std::tanh(1.25 + gates * -0.5)) < 1e-15);
}

TEST_CASE("cudnn layers: the shapes of five layers") {
    gru_layers const net({.num_layers = 5, .num_units = 4, .input_size = 7});
    auto const run = net(support::random_sequence<double>(2, 3, 7), net.zero_state(3));
    CHECK(run.outputs.shape() == std::array<std::size_t, 3>{2, 3, 4});
    CHECK(run.state["h"_s].shape() == std::array<std::size_t, 3>{5, 3, 4});
    gru_layers const both(
        {.num_layers = 5, .num_units = 4, .input_size = 7, .direction = sluice::direction::bidirectional});
    auto const twice = both(support::random_sequence<double>(2, 3, 7), both.zero_state(3));
    CHECK(twice.outputs.shape() == std::array<std::size_t, 3>{2, 3, 8});
    CHECK(twice.state["h"_s].shape() == std::array<std::size_t, 3>{10, 3, 4});
}

} // namespace cudnn_vectors_test
