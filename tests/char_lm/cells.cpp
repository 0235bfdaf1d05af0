// SPDX-License-Identifier: BSL-1.0
// What the language model does with cells of the catalogue: a cell of each kind of size, state and input that
// there is. The numbers, gradients and files of every cell are tests/catalogue's.

#include "../../apps/char_lm/layered_cell.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <memory>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/distributed/alone.hpp>
#include <string>

namespace char_lm_cells_test {

using namespace char_lm;

inline constexpr std::size_t symbols = 5;

inline window some_window(std::size_t index) {
    std::vector<symbol> stream(61);
    for (std::size_t i = 0; i < stream.size(); ++i)
        stream[i] = static_cast<symbol>(i * i / 3 % symbols);
    return lanes(stream, 3, 4).at(index);
}

TEST_CASE_TEMPLATE("cells: each learns, predicts and is stored", Page, sluice::projected_lstm, sluice::glstm,
                   sluice::jordan_rnn, sluice::rwkv4, sluice::retnet, sluice::gru_d, sluice::lmu,
                   sluice::echo_state) {
    constexpr built_cell cell = built<Page>(sluice::page_name<Page>());
    const std::string called(cell.name);
    CAPTURE(called);
    options o;
    // Layers of one page have states of one width, so that one with a state as wide as its input has one
    // layer.
    o.layers = 2;
    for (auto const& state : sluice::passes<Page>::states)
        if (state.columns == sluice::width(sluice::symbol::input))
            o.layers = 1;
    o.units = 6;
    o.shards = 2;
    sluice::alone all;
    const auto net = cell.make(o, symbols, all), copy = cell.make(o, symbols, all);
    const sluice::sizes n = cell.sizes(o, symbols);
    CHECK(cell.parameters(n) > 0);
    CHECK(cell.flops(n) > static_cast<double>(cell.parameters(n)) / 2);

    net->forget(3);
    const std::vector<float> unlearnt = (net->begin_reading(1), net->predict(1));
    for (std::size_t step = 0; step < 2; ++step)
        CHECK(std::isfinite(net->train(some_window(step), step, 0.01)));
    sluice::archive tensors;
    net->store_model(tensors, "model/");
    net->store_memory(tensors);
    copy->forget(3);
    copy->load_model(tensors, "model/");
    copy->load_memory(tensors);
    CHECK(copy->train(some_window(2), 2, 0.01) == net->train(some_window(2), 2, 0.01));

    net->begin_reading(1);
    copy->begin_reading(1);
    const std::vector<float> learnt = net->predict(1);
    CHECK(learnt.size() == symbols);
    CHECK(std::ranges::all_of(learnt, [](float z) { return std::isfinite(z); }));
    CHECK(learnt != unlearnt);
    CHECK(copy->predict(1) == learnt);
    CHECK(copy->predict(3) == net->predict(3));
}

} // namespace char_lm_cells_test
