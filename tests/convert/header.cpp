// SPDX-License-Identifier: BSL-1.0
// Cells with the weights of a generated header give what the framework computed.
#include <cmath>
#include <ctime>
#include <deep_weights.hpp>
#include <doctest/doctest.h>
#include <gru_weights.hpp>
#include <lstm_weights.hpp>
#include <reference/recording.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/sequence/backward.hpp>
#include <sluice/sequence/stack_front.hpp>
#include <sluice/xtensor.hpp>
#include <time.hpp>

namespace header_test {

reference::recording recorded(std::string const& framework, std::string const& cell,
                              std::string const& name) {
    for (auto& one : reference::recordings(framework, cell))
        if (one.name == name)
            return one;
    throw std::invalid_argument("there is no recording " + name);
}

template <class Cell>
void steps_as(reference::recording const& from, Cell const& cell) {
    auto const xs = from.tensor<float, 3>("x");
    auto const expected = from.tensor<float, 3>("outputs");
    auto const run = sluice::infer(cell, xs, cell.zero_state(xs.shape()[1]));
    for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(std::abs(run.outputs.flat(i) - expected.flat(i)) < 1e-6f);
}

TEST_CASE("convert: a cell of constant sizes with the weights of a header") {
    sluice::cell<sluice::cudnn_gru, sluice::extents<gru_weights::sizes>> gru;
    gru_weights::fill(gru);
    steps_as(recorded("flax", "gru", "gru"), gru);
    sluice::cell<sluice::lstm, sluice::extents<lstm_weights::sizes>> lstm;
    lstm_weights::fill(lstm);
    CHECK(lstm.setting(BOOST_HANA_STRING("forget_bias")) == 1);
    steps_as(recorded("tensorflow", "lstm", "lstm"), lstm);
}

TEST_CASE("convert: a header that is called as a function of the C library") {
    sluice::cell<sluice::cudnn_gru, sluice::extents<time_weights::sizes>> gru;
    time_weights::fill(gru);
    steps_as(recorded("mlx", "gru", "gru"), gru);
    CHECK(::time(nullptr) > 0);
}

TEST_CASE("convert: a stack with the weights of a header") {
    static_assert(deep_weights::layers == 2 && deep_weights::directions == 2);
    sluice::stack<sluice::cudnn_gru> net(
        deep_weights::sizes, {.layers = deep_weights::layers, .direction = sluice::direction::bidirectional});
    deep_weights::fill(net);
    auto const from = recorded("pytorch", "gru", "gru_2_bidirectional");
    auto state = net.zero_state(4);
    sluice::for_each_parameter(state, [&](auto, auto& tensor) { tensor = from.tensor<float, 3>("h_0"); });
    auto const run = sluice::infer(net, from.tensor<float, 3>("x"), state);
    auto const expected = from.tensor<float, 3>("outputs");
    for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(std::abs(run.outputs.flat(i) - expected.flat(i)) < 1e-6f);
}

} // namespace header_test
