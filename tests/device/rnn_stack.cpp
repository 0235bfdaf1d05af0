// SPDX-License-Identifier: BSL-1.0
// Which stacks are one call of cuDNN, and what is said of those that are not; stacks of GRUs and LSTMs as
// one call, in all directions.
#include "rnn.hpp"
#include <doctest/doctest.h>
#include <sluice/backend/kernels.hpp>
#include <sluice/cell/adapt/skip_input.hpp>
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cudnn/rnn/rnn_stack.hpp>
#include <sluice/net/host_memory.hpp>
#include <string>
#include <vector>

namespace rnn_stack_test {

using namespace rnn_test;
using sluice::canonical_gru;
using sluice::canonical_lstm;
using sluice::canonical_projected_lstm;
using sluice::direction, sluice::sizes, sluice::stack_options;

using sizes_list = std::vector<sizes>;

/// Of layers of the last page, or of a page each, of these sizes.
template <class... Pages>
std::string why_not(stack_options const& how, sizes_list const& n, std::vector<std::size_t> const& pages) {
    sluice::net<sluice::host_memory<double, sluice::no_kernels>> net;
    for (std::size_t l = 0; l < n.size(); ++l)
        net.layers.emplace_back().ways.push_back({.page = pages[l], .extents = n[l]});
    return sluice::cudnn::stack_cells<double, Pages...>::why_not(how, net);
}
template <class... Pages>
std::string why_not(stack_options const& how, sizes_list const& n) {
    return why_not<Pages...>(how, n, std::vector<std::size_t>(n.size(), sizeof...(Pages) - 1));
}
template <class... Pages>
std::string why_not_listed(stack_options const& how, sizes_list const& n) {
    return why_not<Pages...>(how, n, {0, 1});
}

sizes const first{.input = 3, .units = 5}, second{.input = 5, .units = 5}, both_ways{.input = 10, .units = 5};

TEST_CASE("one call: layers of one cell, in every direction, with dropout between them") {
    CHECK(why_not<canonical_gru>({}, {first}) == "");
    CHECK(why_not<canonical_gru>({.layers = 2, .dropout = 0.5}, {first, second}) == "");
    CHECK(why_not<canonical_gru>({.layers = 2, .direction = direction::reversed}, {first, second}) == "");
    CHECK(why_not<canonical_gru>({.layers = 2, .direction = direction::bidirectional}, {first, both_ways}) ==
          "");
    CHECK(why_not<sluice::cudnn_gru>({.layers = 2}, {first, second}) == "");
    CHECK(why_not<sluice::lstm>({.layers = 2}, {first, second}) == "");
    CHECK(why_not_listed<canonical_gru, sluice::cudnn_gru>({}, {first, second}) == "");
    CHECK(why_not<canonical_projected_lstm>({}, {{.input = 3, .units = 5, .projection = 2}}) == "");
    CHECK(why_not<sluice::skip_input<canonical_gru>, canonical_gru>(
              {.layers = 2, .input_mode = sluice::input_mode::auto_select}, {second, second}, {0, 1}) == "");
}

TEST_CASE("not one call: options that cuDNN does not have") {
    auto const of = [](stack_options how) {
        how.layers = 2;
        return why_not<canonical_gru>(how, {second, second});
    };
    CHECK(of({.residual = sluice::residual::all}) ==
          "cuDNN adds no layer's input to its output, and .residual is all");
    CHECK(of({.dropout = 0.5, .variational = true}) ==
          "cuDNN draws new masks of dropout at each time step, and these are variational");
    CHECK(of({.dropout = 1}) == "cuDNN scales what dropout leaves by 1 / (1 - rate), and the rate is 1");
    CHECK(of({.zoneout = 0.1}) == "cuDNN has no masks inside of its cells, and .zoneout is 0.1");
    CHECK(of({.recurrent_dropout = 0.2}) ==
          "cuDNN has no masks inside of its cells, and .recurrent_dropout is 0.2");
}

TEST_CASE("not one call: cells and sizes that cuDNN does not have") {
    CHECK(why_not<sluice::gru>({}, {first}) == "layer 0: candidate: the reset gate multiplies h before the "
                                               "recurrent product; cuDNN multiplies after it");
    CHECK(why_not_listed<canonical_gru, canonical_lstm>({}, {first, second}) ==
          "cuDNN runs layers of one cell, but layer 0 is its GRU and layer 1 its LSTM");
    CHECK(why_not_listed<canonical_gru, canonical_gru>({}, {first, {.input = 5, .units = 4}}) ==
          "cuDNN runs layers of one width, but layer 0 has 5 units and 5 outputs, and layer 1 has 4 and 4");
    CHECK(why_not_listed<canonical_gru, sluice::dense>({}, {first, second}).starts_with("layer 1: "));
    CHECK(why_not<sluice::skip_input<canonical_gru>>({.layers = 2}, {second, second}) ==
          "cuDNN skips the input matrices of the first layer only, and layer 1 has none either");
    CHECK(why_not<canonical_projected_lstm>({}, {{.input = 3, .units = 5, .projection = 5}})
              .starts_with("layer 0: projection: it is 5 wide, of 5 units"));
}

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
