// SPDX-License-Identifier: BSL-1.0
// Layers as cuDNN counts them, their words, and where their weights lie.
#include <sluice/cudnn/rnn/rnn_shape.hpp>

#include <doctest/doctest.h>
#include <set>

namespace rnn_shape_test {

using namespace sluice::cudnn;

static_assert(gates_of(rnn_mode::relu) == 1 && gates_of(rnn_mode::tanh) == 1 &&
              gates_of(rnn_mode::lstm) == 4 && gates_of(rnn_mode::gru) == 3);
static_assert(name_of(rnn_mode::relu) == "relu RNN" && name_of(rnn_mode::tanh) == "tanh RNN" &&
              name_of(rnn_mode::lstm) == "LSTM" && name_of(rnn_mode::gru) == "GRU");

rnn_shape const gru{.mode = rnn_mode::gru, .layers = 1, .input = 3, .units = 5, .projection = 5};
rnn_shape const both_ways{
    .mode = rnn_mode::lstm, .layers = 3, .bidirectional = true, .input = 3, .units = 5, .projection = 2};

TEST_CASE("rnn shape: pseudo-layers, and the widths of what each reads and gives") {
    CHECK(gru.directions() == 1);
    CHECK(gru.pseudo_layers() == 1);
    CHECK(gru.output() == 5);
    CHECK(!gru.is_projected());
    CHECK(!gru.has_cell_state());
    CHECK(both_ways.directions() == 2);
    CHECK(both_ways.pseudo_layers() == 6);
    CHECK(both_ways.output() == 4);
    CHECK(both_ways.is_projected());
    CHECK(both_ways.has_cell_state());
    CHECK(both_ways.input_of(0) == 3);
    CHECK(both_ways.input_of(1) == 4);
    CHECK(both_ways.input_of(2) == 4);
}

TEST_CASE("rnn shape: in words, with what is unusual") {
    CHECK(in_words(gru) == "1 layer of GRU, input 3, units 5");
    CHECK(in_words(both_ways) == "3 layers of LSTM, bidirectional, input 3, units 5, projection 2");
    rnn_shape other = gru;
    other.dropout = 0.25;
    CHECK(in_words(other) == in_words(gru)); // between layers, and there is one
    CHECK(other != gru);
    other.layers = 2;
    other.skips_input = true;
    CHECK(in_words(other) == "2 layers of GRU, input 3 (skipped), units 5, dropout 0.25");
}

/// Every number of the weight space belongs to one array, and to no other.
void check_layout(rnn_shape const& s) {
    CAPTURE(in_words(s));
    weight_layout const found = layout_of(s);
    std::size_t const gates = gates_of(s.mode);
    REQUIRE(found.layers.size() == s.pseudo_layers());
    std::vector<int> owners(found.size);
    auto const own = [&](std::size_t first, std::size_t count) {
        REQUIRE(first <= found.size);
        REQUIRE(count <= found.size - first);
        for (std::size_t i = 0; i < count; ++i)
            ++owners[first + i];
    };
    for (std::size_t p = 0; p < found.layers.size(); ++p) {
        weight_places const& at = found.layers[p];
        bool const is_skipped = s.skips_input && p < s.directions();
        for (std::size_t k = 0; k < weight_places::most; ++k) {
            std::size_t const count = k < gates ? (is_skipped ? 0 : s.units * s.input_of(p / s.directions()))
                                      : k < 2 * gates                      ? s.units * s.projection
                                      : k == 2 * gates && s.is_projected() ? s.projection * s.units
                                                                           : 0;
            CHECK((at.matrices[k] == weight_places::absent) == (count == 0));
            own(count == 0 ? 0 : at.matrices[k], count);
            CHECK((at.biases[k] == weight_places::absent) == (k >= 2 * gates));
            own(k < 2 * gates ? at.biases[k] : 0, k < 2 * gates ? s.units : 0);
        }
    }
    CHECK(std::set<int>(owners.begin(), owners.end()) == std::set<int>{1});
    // All biases follow all matrices, and b_W of a gate comes before its b_R.
    CHECK(found.layers[0].biases[0] + 2 * gates * s.units * s.pseudo_layers() == found.size);
    CHECK(found.layers[0].biases[gates] == found.layers[0].biases[0] + gates * s.units);
}

TEST_CASE("rnn shape: the weights of all layers lie side by side, matrices before biases") {
    check_layout(gru);
    check_layout(both_ways);
    for (rnn_mode const mode : {rnn_mode::relu, rnn_mode::tanh, rnn_mode::lstm, rnn_mode::gru})
        for (bool const bidirectional : {false, true}) {
            check_layout({.mode = mode,
                          .layers = 2,
                          .bidirectional = bidirectional,
                          .input = 7,
                          .units = 3,
                          .projection = 3});
            check_layout({.mode = mode,
                          .layers = 2,
                          .bidirectional = bidirectional,
                          .skips_input = true,
                          .input = 3,
                          .units = 3,
                          .projection = 3});
        }
}

} // namespace rnn_shape_test
