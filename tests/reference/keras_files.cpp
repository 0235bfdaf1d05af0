// SPDX-License-Identifier: BSL-1.0
// Files that Keras 2 and 3 wrote, in all their formats, give what Keras computed.
#include <filesystem>
#include <reference/agreement.hpp>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/rnn.hpp>
#include <sluice/checkpoint/formats/keras.hpp>
#include <sluice/layout/frameworks/keras_weights.hpp>
#include <sluice/layout/read.hpp>
#include <sluice/layout/recognise.hpp>
#include <string>

namespace keras_files_test {

using namespace reference;
using namespace sluice::layout;

sluice::archive model(std::string const& file) {
    return sluice::keras::read(std::filesystem::path(SLUICE_RECORDINGS) / "keras_files" / file);
}

template <class Model>
void gives_recorded_outputs(std::string const& recorded, Model const& read) {
    auto const all = recordings("keras_files", recorded);
    REQUIRE(all.size() == 1);
    auto const run = sluice::infer(read, all[0].template tensor<double, 3>("x"));
    CHECK(off(run.outputs, all[0].values("outputs")) < 1e-6);
}

/// The likeliest convention of a file.
std::string first_of(sluice::archive const& file) {
    auto const all = recognise(file);
    return all.empty() ? "" : std::string(all.front().convention->key);
}

TEST_CASE_TEMPLATE("keras: a stack of two layers", scalar, float, double) {
    for (std::string const file : {"keras2_gru_2.h5", "keras2_gru_2.weights.h5", "keras3_gru_2.h5",
                                   "keras3_gru_2.weights.h5", "packed.weights.h5"}) {
        CAPTURE(file);
        auto const weights = model(file);
        CHECK(first_of(weights) == "keras_gru");
        sluice::stack<sluice::cudnn_gru, double, sluice::xtensor::reference> net({.input = 5, .units = 3},
                                                                                 {.layers = 2});
        read<keras_gru>(weights, net);
        gives_recorded_outputs(file.starts_with("keras2") ? "keras2_gru_2" : "keras3_gru_2", net);
        auto const second = read_cell<keras_gru, scalar>(weights, {.layer = 1});
        CHECK(second.extents() == sluice::sizes{.input = 3, .units = 3});
    }
}

TEST_CASE("keras: both directions") {
    for (std::string const file : {"keras2_lstm_bidirectional.h5", "keras2_lstm_bidirectional.keras",
                                   "keras3_lstm_bidirectional.h5", "keras3_lstm_bidirectional.keras"}) {
        CAPTURE(file);
        auto const weights = model(file);
        CHECK(first_of(weights) == "keras_lstm");
        sluice::stack<sluice::lstm, double, sluice::xtensor::reference> net(
            {.input = 5, .units = 3}, {.direction = sluice::direction::bidirectional});
        read<keras_lstm>(weights, net);
        gives_recorded_outputs(file.substr(0, file.find('.')), net);
    }
}

TEST_CASE("keras: both directions of the plain cell") {
    for (std::string const file : {"keras2_rnn_bidirectional.h5", "keras3_rnn_bidirectional.h5"}) {
        CAPTURE(file);
        auto const weights = model(file);
        CHECK(first_of(weights) == "keras_rnn");
        sluice::stack<sluice::tanh_rnn, double, sluice::xtensor::reference> net(
            {.input = 5, .units = 3}, {.direction = sluice::direction::bidirectional});
        read<keras_rnn<>>(weights, net);
        gives_recorded_outputs(file.substr(0, file.find('.')), net);
    }
}

// Bidirectional(GRU), Bidirectional(GRU), GRU, GRU, Bidirectional(LSTM): the layers of one kind are a stack
// each
TEST_CASE("keras: layers of both directions and of one, and of two kinds") {
    struct mixed {
        std::string file, both, one;
    };
    for (mixed const& of : {mixed{"keras2_mixed.h5", "bidirectional", "gru_"},
                            mixed{"keras2_mixed.weights.h5", "layers/bidirectional", "layers/gru"},
                            mixed{"keras3_mixed.h5", "sequential/bidirectional", "sequential/gru_"},
                            mixed{"keras3_mixed.keras", "layers/bidirectional", "layers/gru"}}) {
        CAPTURE(of.file);
        auto const weights = model(of.file);
        using gru_stack = sluice::stack<sluice::cudnn_gru, double, sluice::xtensor::reference>;
        gru_stack first({.input = 5, .units = 3},
                        {.layers = 2, .direction = sluice::direction::bidirectional});
        gru_stack second({.input = 6, .units = 3}, {.layers = 2});
        sluice::stack<sluice::lstm, double, sluice::xtensor::reference> last(
            {.input = 3, .units = 3}, {.direction = sluice::direction::bidirectional});
        read<keras_gru>(weights, first, of.both);
        read<keras_gru>(weights, second, of.one);
        read<keras_lstm>(weights, last);
        auto const all = recordings("keras_files", of.file.substr(0, of.file.find('.')));
        REQUIRE(all.size() == 1);
        auto const x = all[0].tensor<double, 3>("x");
        auto const run = infer(last, infer(second, infer(first, x).outputs).outputs);
        CHECK(off(run.outputs, all[0].values("outputs")) < 1e-6);

        for (std::string const& prefix : {of.both, of.one}) {
            std::string const quoted = "'" + prefix + "'";
            CHECK_THROWS_WITH_AS(read<keras_gru>(weights, first), doctest::Contains(quoted.c_str()),
                                 sluice::checkpoint_errors::ambiguous_weights);
        }
    }
}

TEST_CASE("keras: a layer without biases") {
    for (std::string const file : {"keras2_gru_reset_before.h5", "keras3_gru_reset_before.weights.h5"}) {
        CAPTURE(file);
        auto const weights = model(file);
        // without biases nothing in the file says where the reset gate acts
        auto const all = recognise(weights);
        REQUIRE(all.size() >= 2);
        CHECK(all[0].convention->key == "keras_gru");
        CHECK(all[1].convention->key == "keras_gru_reset_before");
        CHECK_FALSE(all[0].weights.has_biases);
        gives_recorded_outputs(
            file.substr(0, file.find('.')),
            read_cell<keras_gru_reset_before, double, sluice::xtensor::reference>(weights));
    }
}

} // namespace keras_files_test
