// SPDX-License-Identifier: BSL-1.0
// What the layers of cuDNN compute, and their gradients.
//
// TensorFlow's test of inference: every parameter, input and state is 1, and the sum of all outputs and final
// states is known. In inference no rate of dropout changes it.
//
// TensorFlow's gradient check of cuDNN's layers: two layers, three units, an input of four, a batch of three,
// four time steps, in double to 5e-6; here to the accuracy of the differences.
#include <sequence/cudnn.hpp>

namespace cudnn_runs_test {

using namespace cudnn_test;

namespace {

template <class Net>
void sums_to(double expected, double rounding, std::array<std::size_t, 5> const& sizes) {
    auto const [layers, units, input, batch, time] = sizes;
    for (double const rate : {0., 0.5, 1.}) {
        CAPTURE(rate);
        using scalar = typename Net::scalar_type;
        Net net({.num_layers = layers, .num_units = units, .input_size = input, .dropout = rate}, {},
                {.kernel_initializer = sluice::init::ones{}, .bias_initializer = sluice::init::ones{}});
        CHECK(std::ranges::count(net.params(), scalar(1)) == std::ssize(net.params()));
        auto state = net.zero_state(batch);
        sluice::for_each_parameter(state, [](auto, auto& tensor) { tensor.fill(scalar(1)); });
        auto const run = net(xt::ones<scalar>({time, batch, input}), state, false);
        double sum = xt::sum(xt::cast<double>(run.outputs))();
        sluice::for_each_parameter(
            run.state, [&](auto, auto const& tensor) { sum += xt::sum(xt::cast<double>(tensor))(); });
        CHECK(std::abs(sum - expected) <= rounding);
    }
}

template <class Net>
void check_gradients(double step = 1e-3) {
    for (auto const way : both_ways)
        for (double const rate : {0., 0.5, 1.}) {
            CAPTURE(name_of(way));
            CAPTURE(rate);
            Net net({.num_layers = 2,
                     .num_units = 3,
                     .input_size = 4,
                     .direction = way,
                     .dropout = rate,
                     .seed = sluice::seed{2}});
            randomize(net);
            auto const report = sluice::gradient_check(net, support::random_sequence<double>(4, 3, 4),
                                                       random_state(net, 3), {.step = step, .draw = 1});
            CAPTURE(report.worst().called);
            CHECK(report.worst().largest < 1e-8);
            std::size_t const states = Net::rnn_mode() == "lstm" ? 2 : 1;
            CHECK(report.tensors.size() == 1 + states + net.parameters().array().places().size());
        }
    Net skips(
        {.num_layers = 2, .num_units = 3, .input_size = 3, .input_mode = sluice::input_mode::skip_input});
    randomize(skips);
    CHECK(sluice::gradient_check(skips, support::random_sequence<double>(4, 3, 3), random_state(skips, 3),
                                 {.step = step})
              .worst()
              .largest < 1e-8);
}

} // namespace

TEST_CASE("cudnn layers: TensorFlow's sums of CudnnGRU, CudnnLSTM, CudnnRNNTanh and CudnnRNNRelu") {
    sums_to<sluice::cudnn_gru_layers<double>>(56000, 1e-9, {4, 200, 200, 20, 10});
    sums_to<sluice::cudnn_lstm_layers<double>>(231833.22649566756, 1e-8, {4, 200, 200, 20, 10});
    sums_to<sluice::cudnn_lstm_layers<float>>(231833.22649566756, 0.05, {4, 200, 200, 20, 10});
    sums_to<sluice::cudnn_tanh_rnn_layers<double>>(56000, 1e-9, {4, 200, 200, 20, 10});
    sums_to<sluice::cudnn_relu_rnn_layers<double>>(130688, 0, {2, 8, 4, 4, 2});
    sums_to<sluice::cudnn_relu_rnn_layers<float>>(130688, 0, {2, 8, 4, 4, 2});
}

TEST_CASE("cudnn layers: gradients of CudnnGRU, CudnnLSTM, CudnnRNNTanh and CudnnRNNRelu") {
    check_gradients<sluice::cudnn_gru_layers<double>>();
    check_gradients<sluice::cudnn_lstm_layers<double>>();
    check_gradients<sluice::cudnn_tanh_rnn_layers<double>>();
    check_gradients<sluice::cudnn_relu_rnn_layers<double>>(1e-5); // where no sum changes its sign
}

} // namespace cudnn_runs_test
