// SPDX-License-Identifier: BSL-1.0
// Stacks of simple recurrent networks in float as one call of cuDNN, and stacks of cells by themselves.
#include "rnn.hpp"
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/rnn.hpp>

namespace rnn_stack_simple_test {

using namespace rnn_test;
using sluice::direction;

TEST_CASE("rnn stack simple: a stack of simple networks is one call, of tanh and of relu") {
    check_stack<sluice::canonical_tanh_rnn, float>({.input = 3, .units = 5},
                                                   {.layers = 2, .direction = direction::bidirectional});
    check_stack<sluice::relu_rnn, float>({.input = 3, .units = 5}, {.layers = 2});
}

TEST_CASE("rnn stack simple: a first layer that skips its input is one call, too") {
    using page = sluice::any_input_mode<sluice::tanh_rnn>;
    for (auto const mode : {sluice::input_mode::skip_input, sluice::input_mode::linear_input})
        check_stack<page, float>({.input = 4, .units = 4}, {.layers = 3, .input_mode = mode});
}

TEST_CASE("rnn stack simple: what cuDNN does not have runs layer by layer, and so do sequences with resets") {
    sluice::stack_options const how{.layers = 2, .residual = sluice::residual::all};
    auto const net = shuffled(sluice::stack<sluice::relu_rnn, float, device>({.input = 5, .units = 5}, how));
    auto const other = shuffled(sluice::stack<sluice::relu_rnn, float>({.input = 5, .units = 5}, how));
    CHECK(explain(net) ==
          "layer by layer: cuDNN adds no layer's input to its output, and .residual is all\n"
          "layer 0: cuDNN's relu RNN, with lengths by generated kernels, which are faster there\n"
          "layer 1: cuDNN's relu RNN, with lengths by generated kernels, which are faster there");
    check_alike(net, other, 5, 3, {.lengths = {5, 0, 2}});

    auto const whole =
        shuffled(sluice::stack<sluice::relu_rnn, float, device>({.input = 3, .units = 5}, {.layers = 2}));
    auto const plain =
        shuffled(sluice::stack<sluice::relu_rnn, float>({.input = 3, .units = 5}, {.layers = 2}));
    CHECK(whole.is_whole());
    long const before = host_device::cudnn_calls("cudnnRNNForward");
    check_alike(whole, plain, 5, 3, {.resets = some_resets(5, 3)});
    CHECK(host_device::cudnn_calls("cudnnRNNForward") == before);
}

TEST_CASE("rnn stack simple: options are part of the policy") {
    using fast = sluice::cudnn::device_with<sluice::cudnn::rnn_options{
        .tf32 = true, .algorithm = sluice::cudnn::algorithm::timed}>;
    auto const net = shuffled(sluice::stack<sluice::relu_rnn, float, fast>({.input = 3, .units = 5}));
    auto const plain = shuffled(sluice::stack<sluice::relu_rnn, float>({.input = 3, .units = 5}));
    CHECK(explain(net) == "one call of cuDNN's RNN: 1 layer of relu RNN, input 3, units 5");
    auto const xs = random_sequence<float>(4, 2, 3);
    long const before = host_device::cudnn_calls("cudnnRNNForward");
    // On a GPU factors are rounded to 11 bits.
    CHECK(distance(infer(net, xs, net.zero_state(2)).outputs, infer(plain, xs, plain.zero_state(2)).outputs) <
          0x1p-11);
    CHECK(host_device::cudnn_calls("cudnnRNNForward") ==
          before + 9); // four of each of two algorithms, and the call
}

} // namespace rnn_stack_simple_test
