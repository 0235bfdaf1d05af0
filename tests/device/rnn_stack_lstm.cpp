// SPDX-License-Identifier: BSL-1.0
// Stacks of LSTMs as one call of cuDNN: cuDNN's own page, with a projection, and in another spelling.
#include "rnn.hpp"
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/lstm.hpp>

namespace rnn_stack_lstm_test {

using namespace rnn_test;
using sluice::direction;

TEST_CASE("rnn stack lstm: a stack of cuDNN's own LSTM is one call") {
    check_stack<sluice::canonical_lstm, double>({.input = 3, .units = 5},
                                                {.layers = 2, .direction = direction::bidirectional});
}

TEST_CASE("rnn stack lstm: so is one of LSTMs whose output is projected") {
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

} // namespace rnn_stack_lstm_test
