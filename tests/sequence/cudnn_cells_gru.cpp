// SPDX-License-Identifier: BSL-1.0
// cudnn_gru reads the layers of CudnnGRU, and gives the same numbers: what TensorFlow promises of its
// compatible cell.
#include <sequence/cudnn_cells.hpp>
#include <sluice/cell/adapt/skip_input.hpp>
#include <sluice/cells/canonical_cells.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>

namespace cudnn_cells_gru_test {

using namespace cudnn_test;
using net_type = sluice::cudnn_gru_layers<double>;

TEST_CASE("cudnn cells: cudnn_gru computes what the layer does that it has read") {
    cells_read_layers<net_type, sluice::cudnn_gru>(1e-14);
}
TEST_CASE("cudnn cells: a layer computes what the cudnn_gru does that it was read from") {
    layers_read_cells<net_type, sluice::cudnn_gru>(1e-14);
}

TEST_CASE("cudnn cells: another page, size, layer or direction is refused, and nothing changes") {
    net_type net({.num_layers = 2, .num_units = 4, .input_size = 5});
    randomize(net);
    auto saved = net.saved();
    auto const before = saved.tensors();
    auto const stays = [&](auto cell, std::size_t layer, std::size_t d,
                           std::vector<std::string> const& parts) {
        support::randomize(cell);
        auto const was = cell.parameters();
        CHECK(says(refused([&] { saved.read_into(cell, layer, d); }), parts));
        CHECK(support::same_map(cell.parameters(), was));
        CHECK(says(refused([&] { saved.read_from(cell, layer, d); }), parts));
    };
    using gru = sluice::cell<sluice::cudnn_gru, double>;
    stays(gru({.input = 5, .units = 3}), 0, 0,
          {"layer 0, expects a cell of 4 units and an input of 5, but it is of 3 and 5"});
    stays(gru({.input = 5, .units = 4}), 1, 0,
          {"layer 1, expects a cell of 4 units and an input of 4, but it is of 4 and 5"});
    stays(gru({.input = 5, .units = 4}), 2, 0, {"2 with 1 directions; there is no layer 2, direction 0"});
    stays(gru({.input = 5, .units = 4}), 0, 1, {"there is no layer 0, direction 1"});
    stays(sluice::cell<sluice::gru, double>({.input = 5, .units = 4}), 0, 0,
          {"expects a cell of cuDNN GRU", "but it is of"});
    stays(sluice::cell<sluice::skip_input<sluice::cudnn_gru>, double>({.units = 4}), 1, 0,
          {"expects a cell of cuDNN GRU"});
    net_type const skips({.num_units = 4, .input_size = 4, .input_mode = input_mode::skip_input});
    gru linear({.input = 4, .units = 4});
    CHECK(says(refused([&] { skips.saved().read_into(linear, 0); }),
               {"expects a cell of skip_input of cuDNN GRU"}));
    gru gone({.input = 5, .units = 4});
    auto const there = std::move(gone);
    CHECK(says(refused([&] { saved.read_into(gone, 0); }), {"moved from"}));
    CHECK(says(refused([&] { saved.read_from(gone, 0); }), {"moved from"}));
    for (std::size_t i = 0; i < before.size(); ++i)
        CHECK(saved.tensors()[i].values == before[i].values);
    saved.read_into(linear, 1);
    CHECK(linear.parameters().values()[0] == saved.tensors()[3].values[0]);
}

TEST_CASE("cudnn cells: a stack of cudnn_gru takes all layers at once, and gives them back") {
    for (auto const way : both_ways) {
        net_type net({.num_layers = 3, .num_units = 4, .input_size = 5, .direction = way});
        randomize(net);
        sluice::stack<sluice::cudnn_gru, double> cells({.input = 5, .units = 4},
                                                       {.layers = 3, .direction = way});
        net.saved().read_into(cells);
        auto const xs = support::random_sequence<double>(4, 3, 5);
        auto const state = random_state(net, 3);
        auto start = cells.zero_state(3);
        start["h"_s] = state["h"_s];
        auto const expected = net(xs, state, false);
        auto const found = sluice::infer(cells, xs, start);
        CHECK(support::distance(found.outputs, expected.outputs) < 1e-14);
        CHECK(support::distance(found.state["h"_s], expected.state["h"_s]) < 1e-14);
        sluice::cudnn_saved<sluice::canonical_gru, double> saved(
            {.num_layers = 3, .num_units = 4, .input_size = 5, .direction = way});
        saved.read_from(cells);
        for (std::size_t i = 0; i < saved.tensors().size(); ++i)
            CHECK(saved.tensors()[i].values == net.saved().tensors()[i].values);

        sluice::stack<sluice::cudnn_gru, double> fewer({.input = 5, .units = 4},
                                                       {.layers = 2, .direction = way});
        CHECK(says(refused([&] { saved.read_into(fewer); }),
                   {"read_into expects a stack of 3 layers", "but it is of 2"}));
        sluice::stack<sluice::cudnn_gru, double> wide({.input = 6, .units = 4},
                                                      {.layers = 3, .direction = way});
        auto const before = wide.parameters();
        CHECK(says(refused([&] { saved.read_into(wide); }),
                   {"layer 0, expects a cell of 4 units and an input of 5"}));
        CHECK(std::ranges::equal(wide.parameters().values(), before.values()));
    }
}

} // namespace cudnn_cells_gru_test
