// SPDX-License-Identifier: BSL-1.0
// Layers of cuDNN with cuDNN's own dropout, in training and in the names of TensorFlow.
#include "rnn.hpp"
#include <sluice/check/gradient_check.hpp>
#include <sluice/train/adam.hpp>

namespace rnn_dropout_test {

using namespace rnn_test;
using layers_type = sluice::cudnn_gru_layers<double, device>;
using cpu_type = sluice::cudnn_gru_layers<double>;

TEST_CASE(
    "dropout: the same draw has the same masks, another one others, and the gradient those of its run") {
    layers_type const net = shuffled(layers_type(
        {.num_layers = 2, .num_units = 4, .input_size = 3, .dropout = 0.5, .seed = sluice::seed{5}}));
    CHECK(explain(net) == "one call of cuDNN's RNN: 2 layers of GRU, input 3, units 4, dropout 0.5");
    auto const xs = random_sequence<double>(4, 3, 3);
    auto const state = net.zero_state(3);
    auto const run = unroll(net, xs, state, {.draw = 3});
    CHECK(same_bits(unroll(net, xs, state, {.draw = 3}).outputs, run.outputs));
    auto const other = unroll(net, xs, state, {.draw = 4});
    CHECK_FALSE(same_bits(other.outputs, run.outputs));
    CHECK(same_bits(unroll(layers_type(net), xs, state, {.draw = 3}).outputs, run.outputs));
    CHECK_FALSE(same_bits(infer(net, xs, state).outputs, run.outputs));
    CHECK(sluice::gradient_check(net, xs, random_states(state, "state"), {.draw = 3}).worst().largest < 1e-7);
    auto const again = unroll(net, xs, state), next = unroll(net, xs, state); // which take one draw each
    CHECK(next.draw == again.draw + 1);
    auto const back = backward(net, run, other.outputs);
    backward(net, next, other.outputs);
    CHECK(
        std::ranges::equal(backward(net, run, other.outputs).parameters.values(), back.parameters.values()));
}

TEST_CASE("rnn dropout: layers of cuDNN learn on the device what they learn on the CPU") {
    sluice::cudnn_options const how{.num_layers = 2,
                                    .num_units = 4,
                                    .input_size = 4,
                                    .input_mode = sluice::input_mode::auto_select,
                                    .direction = sluice::direction::bidirectional};
    auto net = shuffled(layers_type(how));
    auto cpu = shuffled(cpu_type(how));
    CHECK(explain(net) ==
          "one call of cuDNN's RNN: 2 layers of GRU, bidirectional, input 4 (skipped), units 4");
    sluice::adam optimizer(net, {.learning_rate = 0.05});
    sluice::adam other(cpu, {.learning_rate = 0.05});
    auto const xs = random_sequence<double>(5, 3, 4);
    for (int step = 0; step < 5; ++step) {
        auto const learn = [&](auto& layers, auto& by) {
            auto const run = layers(xs, layers.zero_state(3));
            auto const found = backward(layers, run, run.outputs);
            by.step(layers, found.parameters);
            return run.outputs;
        };
        check_near(learn(net, optimizer), learn(cpu, other));
    }
    check_values(net.params(), cpu.params());
    cpu.set_params(net.params());
    check_near(net(xs, net.zero_state(3), false).outputs, cpu(xs, cpu.zero_state(3), false).outputs);
}

} // namespace rnn_dropout_test
