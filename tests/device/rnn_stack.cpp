// SPDX-License-Identifier: BSL-1.0
// Stacks of GRUs and LSTMs as one call of cuDNN: its own pages, with a projection, and in another spelling.
#include "rnn.hpp"
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/lstm.hpp>

namespace rnn_stack_test {

using namespace rnn_test;
using sluice::direction;

TEST_CASE("rnn stack gru: a stack of cuDNN's own GRU is one call, and what it gives is the CPU's") {
    for (auto const way : {direction::unidirectional, direction::bidirectional, direction::reversed})
        for (std::size_t const layers : {1u, 3u})
            check_stack<sluice::canonical_gru, double>({.input = 3, .units = 5},
                                                       {.layers = layers, .direction = way});
}

TEST_CASE("rnn stack gru: sequences and batches without numbers ask nothing of cuDNN") {
    sluice::stack_options const how{.layers = 2};
    auto const net =
        shuffled(sluice::stack<sluice::canonical_gru, double, device>({.input = 3, .units = 5}, how));
    auto const other = shuffled(sluice::stack<sluice::canonical_gru, double>({.input = 3, .units = 5}, how));
    long const before = host_device::cudnn_calls("cudnnRNNForward");
    check_alike(net, other, 0, 3);
    check_alike(net, other, 4, 0);
    CHECK(host_device::cudnn_calls("cudnnRNNForward") == before);
}

TEST_CASE("rnn stack lstm: a stack of cuDNN's own LSTM is one call") {
    check_stack<sluice::canonical_lstm, double>({.input = 3, .units = 5},
                                                {.layers = 2, .direction = direction::bidirectional});
}

TEST_CASE("rnn stack lstm: a stack of LSTMs whose output is projected is one call") {
    for (auto const way : {direction::bidirectional, direction::reversed})
        check_stack<sluice::projected_lstm, double>({.input = 3, .units = 5, .projection = 2},
                                                    {.layers = 2, .direction = way});
}

TEST_CASE("rnn stack lstm: layers that are listed are one call where they are of one width, and the forget "
          "bias is a setting") {
    using list = sluice::layers<sluice::lstm, sluice::canonical_lstm>;
    std::vector<sluice::sizes> const n{{.input = 3, .units = 5}, {.units = 5}};
    sluice::settings const numbers{{"forget_bias", 1.5}};
    auto const net = shuffled(sluice::stack<list, double, device>(n, {}, {}, numbers));
    auto const other = shuffled(sluice::stack<list, double>(n, {}, {}, numbers));
    CHECK(explain(net) == "one call of cuDNN's RNN: 2 layers of LSTM, input 3, units 5");
    check_alike(net, other, 5, 3, {.lengths = {5, 0, 2}});
}

} // namespace rnn_stack_test
