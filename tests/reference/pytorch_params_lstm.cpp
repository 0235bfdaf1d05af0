// SPDX-License-Identifier: BSL-1.0
#include <reference/pytorch_params.hpp>
#include <sluice/cells/canonical_cells.hpp>

namespace pytorch_params_lstm_test {

using namespace reference;

TEST_CASE("recorded: PyTorch's LSTM as one vector of parameters") {
    reproduces_layers<sluice::cudnn_lstm_layers<double>>("lstm", 4);
}

TEST_CASE("recorded: PyTorch's LSTM with projection as one vector of parameters") {
    auto const all = recordings("pytorch", "lstm_projected");
    CHECK(all.size() == 4);
    for (recording const& from : all) {
        sluice::stack<sluice::canonical_projected_lstm, double> net(
            {.input = from.number("input"),
             .units = from.number("units"),
             .projection = from.number("projection")},
            {.layers = from.number("layers"), .direction = from.direction()});
        auto const params = params_of<double>(from);
        net.update_values([&](std::span<double> to) {
            REQUIRE(params.size() == to.size());
            std::ranges::copy(params, to.begin());
        });
        reproduces_vector(from, net);
    }
}

} // namespace pytorch_params_lstm_test
