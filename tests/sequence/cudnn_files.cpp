// SPDX-License-Identifier: BSL-1.0
// Layers of cuDNN through files into other layers, and the files and layers that are refused.
#include <checkpoint/support.hpp>
#include <sequence/cudnn.hpp>
#include <sluice/checkpoint/checkpoint.hpp>

namespace cudnn_files_test {

using namespace cudnn_test;
using sluice::direction;
using gru_layers = sluice::cudnn_gru_layers<float>;
using lstm_layers = sluice::cudnn_lstm_layers<float>;

TEST_CASE_TEMPLATE("cudnn saver: through a file into other layers, whose outputs are the same", Net,
                   gru_layers, lstm_layers, sluice::cudnn_tanh_rnn_layers<float>) {
    checkpoint_test::folder const folder;
    for (auto const way : both_ways)
        for (auto const mode : {sluice::input_mode::linear_input, sluice::input_mode::skip_input}) {
            sluice::cudnn_options const options{
                .num_layers = 2, .num_units = 4, .input_size = 4, .input_mode = mode, .direction = way};
            Net net(options), other(options);
            randomize(net);
            auto const path = folder / "layers.safetensors";
            save(path, net.saved("scope"));
            auto taken = other.saved("scope");
            load(path, taken);
            other.restore(taken);

            // what has become of the sums: TensorFlow's form is kept exactly, the buffer but for their parts
            auto const there = net.saved().tensors(), here = other.saved().tensors();
            for (std::size_t i = 0; i < there.size(); ++i)
                CHECK(here[i].values == there[i].values);
            auto const was = net.params_to_canonical(net.params()),
                       is = other.params_to_canonical(other.params());
            bool biases_are_the_same = true;
            for (std::size_t k = 0; k < was.weights.size(); ++k) {
                CHECK(is.weights[k] == was.weights[k]);
                biases_are_the_same = biases_are_the_same && is.biases[k] == was.biases[k];
            }
            CHECK_FALSE(biases_are_the_same);
            auto const xs = support::random_sequence<float>(3, 2, 4);
            auto const state = random_state(net, 2);
            CHECK(support::distance(other(xs, state, false).outputs, net(xs, state, false).outputs) < 1e-6);
        }
}

TEST_CASE("cudnn saver: other files and other layers are refused, and nothing changes") {
    checkpoint_test::folder const folder;
    gru_layers net({.num_layers = 2, .num_units = 5, .input_size = 3});
    randomize(net);
    auto const before = copied(net);
    auto const path = folder / "layers.safetensors";
    save(path, net.saved("one"));
    auto other_scope = net.saved("two");
    CHECK_THROWS_WITH_AS(load(path, other_scope), doctest::Contains("two/rnn/multi_rnn_cell/cell_0"),
                         sluice::checkpoint_error);
    gru_layers const wider({.num_layers = 2, .num_units = 5, .input_size = 4});
    auto wide = wider.saved("one");
    CHECK_THROWS_WITH_AS(load(path, wide), doctest::Contains("gates/kernel"), sluice::checkpoint_error);
    CHECK(wide.tensors()[0].values == wider.saved().tensors()[0].values);

    CHECK(says(
        refused([&] { net.restore(wider.saved()); }),
        {"cell_0/cudnn_compatible_gru_cell/gates/kernel of shape [8, 10], but the saved one is [9, 10]"}));
    CHECK(says(
        refused([&] { net.restore(gru_layers({.num_layers = 1, .num_units = 5, .input_size = 3}).saved()); }),
        {"restore expects 2 saved layers with 1 directions, but they are 1 with 1"}));
    CHECK(says(
        refused([&] {
            net.restore(
                gru_layers({.num_units = 5, .input_size = 3, .direction = direction::bidirectional}).saved());
        }),
        {"but they are 1 with 2"}));
    gru_layers const skips(
        {.num_layers = 2, .num_units = 5, .input_size = 5, .input_mode = sluice::input_mode::skip_input});
    CHECK(says(refused([&] { net.restore(skips.saved()); }), {"[8, 10], but the saved one is [5, 10]"}));
    auto gone = net.saved();
    auto const kept = std::move(gone);
    CHECK(says(refused([&] { net.restore(gone); }), {"but they are 0 with 1"})); // NOLINT
    CHECK(has_params(net, before));
    net.restore(kept);
}

} // namespace cudnn_files_test
