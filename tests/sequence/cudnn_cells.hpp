// SPDX-License-Identifier: BSL-1.0
// Cells and the saved layers of cuDNN: a cell that reads a layer gives the numbers of that layer, and a layer
// that is read from a cell gives those of the cell.
#pragma once

#include <sequence/cudnn.hpp>
#include <sluice/cell/adapt/skip_input.hpp>

namespace cudnn_test {

using sluice::direction;
using sluice::input_mode;

/// What a cell computes from the outputs of the layer below, in the order of its direction.
template <class Cell, class Net>
void check_layer(Net const& net, Cell const& cell, std::size_t layer, std::size_t d,
                 xt::xtensor<typename Net::scalar_type, 3> const& xs, typename Net::state_type const& state,
                 typename Net::state_type const& end, xt::xtensor<typename Net::scalar_type, 3> const& ys,
                 double rounding) {
    CAPTURE(layer);
    CAPTURE(d);
    using scalar = typename Net::scalar_type;
    auto start = cell.zero_state(xs.shape()[1]);
    std::size_t const row = layer * net.directions() + d;
    sluice::for_each_parameter(start, [&](auto key, auto& tensor) { tensor = xt::view(state[key], row); });
    xt::xtensor<scalar, 3> const given = d == 0 ? xs : xt::xtensor<scalar, 3>(xt::flip(xs, 0));
    auto const found = sluice::infer(cell, given, start);
    xt::xtensor<scalar, 3> const in_order =
        d == 0 ? found.outputs : xt::xtensor<scalar, 3>(xt::flip(found.outputs, 0));
    std::size_t const units = net.num_units();
    xt::xtensor<scalar, 3> const expected =
        xt::view(ys, xt::all(), xt::all(), xt::range(d * units, (d + 1) * units));
    CHECK(support::distance(in_order, expected) < rounding);
    sluice::for_each_parameter(found.state, [&](auto key, auto const& tensor) {
        xt::xtensor<scalar, 2> const last = xt::view(end[key], row);
        CHECK(support::distance(tensor, last) < rounding);
    });
}

/// Each layer and direction of saved layers, read into compatible cells, in one mode of input.
template <class Net, class Page>
void cells_read_layers(double rounding) {
    using scalar = typename Net::scalar_type;
    for (auto const way : both_ways)
        for (auto const mode : {input_mode::linear_input, input_mode::skip_input}) {
            CAPTURE(name_of(way));
            CAPTURE(name_of(mode));
            bool const skips = mode == input_mode::skip_input;
            std::size_t const width = skips ? 4 : 5;
            Net net(
                {.num_layers = 2, .num_units = 4, .input_size = width, .input_mode = mode, .direction = way});
            randomize(net);
            auto const saved = net.saved();
            auto const state = random_state(net, 3);
            auto const xs = support::random_sequence<scalar>(4, 3, width);
            auto const whole = net(xs, state, false);

            // layer 0 alone gives what layer 1 reads
            Net first(
                {.num_layers = 1, .num_units = 4, .input_size = width, .input_mode = mode, .direction = way});
            auto const all = net.params_to_canonical(net.params());
            auto of_first = first.params_to_canonical(first.params());
            std::copy_n(all.weights.begin(), of_first.weights.size(), of_first.weights.begin());
            std::copy_n(all.biases.begin(), of_first.biases.size(), of_first.biases.begin());
            first.set_params(first.canonical_to_params(of_first));
            auto state_of_first = first.zero_state(3);
            sluice::for_each_parameter(state_of_first, [&](auto key, auto& tensor) {
                tensor = xt::view(state[key], xt::range(std::size_t{0}, net.directions()));
            });
            auto const below = first(xs, state_of_first, false);

            for (std::size_t d = 0; d < net.directions(); ++d) {
                if (skips) {
                    sluice::cell<sluice::skip_input<Page>, scalar> cell({.units = 4}, sluice::seed{3});
                    saved.read_into(cell, 0, d);
                    check_layer(net, cell, 0, d, xs, state, whole.state, below.outputs, rounding);
                } else {
                    sluice::cell<Page, scalar> cell({.input = width, .units = 4}, sluice::seed{3});
                    saved.read_into(cell, 0, d);
                    check_layer(net, cell, 0, d, xs, state, whole.state, below.outputs, rounding);
                }
                sluice::cell<Page, scalar> cell({.input = 4 * net.directions(), .units = 4}, sluice::seed{3});
                saved.read_into(cell, 1, d);
                check_layer(net, cell, 1, d, below.outputs, state, whole.state, whole.outputs, rounding);
            }
        }
}

/// A compatible cell's weights in a layer: the same outputs, and the same weights when read back.
template <class Net, class Page>
void layers_read_cells(double rounding) {
    using scalar = typename Net::scalar_type;
    Net net({.num_layers = 2, .num_units = 4, .input_size = 5, .direction = direction::bidirectional});
    randomize(net);
    auto saved = net.saved();
    auto const before = saved.tensors();
    sluice::cell<Page, scalar> cell({.input = 5, .units = 4});
    support::randomize(cell);
    saved.read_from(cell, 0, 1);
    std::size_t changed = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        bool const is_that = before[i].called.find("cell_0/bidirectional_rnn/bw/") != std::string::npos;
        CHECK((saved.tensors()[i].values != before[i].values) == is_that);
        changed += is_that;
    }
    CHECK(changed == before.size() / 4);
    net.restore(saved);

    auto const xs = support::random_sequence<scalar>(4, 3, 5);
    auto const state = random_state(net, 3);
    auto start = cell.zero_state(3);
    sluice::for_each_parameter(start, [&](auto key, auto& tensor) { tensor = xt::view(state[key], 1); });
    auto const expected = sluice::infer(cell, xt::xtensor<scalar, 3>(xt::flip(xs, 0)), start);
    auto const whole = net(xs, state, false);
    sluice::for_each_parameter(expected.state, [&](auto key, auto const& tensor) {
        xt::xtensor<scalar, 2> const came = xt::view(whole.state[key], 1);
        CHECK(support::distance(came, tensor) < rounding);
    });
    sluice::cell<Page, scalar> again({.input = 5, .units = 4});
    net.saved().read_into(again, 0, 1);
    auto twice = net.saved();
    twice.read_from(again, 0, 1);
    for (std::size_t i = 0; i < before.size(); ++i)
        CHECK(twice.tensors()[i].values == saved.tensors()[i].values);
}

} // namespace cudnn_test
