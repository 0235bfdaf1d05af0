// SPDX-License-Identifier: BSL-1.0
// Layers of cuDNN with cuDNN's own dropout.
#include "rnn.hpp"
#include <sluice/check/gradient_check.hpp>

namespace rnn_dropout_test {

using namespace rnn_test;
using layers_type = sluice::cudnn_gru_layers<double, device>;

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

} // namespace rnn_dropout_test
