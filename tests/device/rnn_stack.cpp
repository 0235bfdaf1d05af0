// SPDX-License-Identifier: BSL-1.0
// Stacks of GRUs as one call of cuDNN, in all directions.
#include "rnn.hpp"
#include <sluice/cells/canonical_cells.hpp>

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

} // namespace rnn_stack_test
