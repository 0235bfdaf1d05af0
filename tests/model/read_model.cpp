// SPDX-License-Identifier: BSL-1.0
// Models of files with what the library sluice::models has compiled: this file knows no cell.
#include <sluice/model/read_model.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <filesystem>
#include <initializer_list>
#include <sluice/checkpoint/error.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace read_model_test {

std::string path_of(std::string const& name) {
    return std::string(SLUICE_RECORDINGS) + "/audio/" + name;
}

TEST_CASE("read_model: float and double agree, as a sequence and as a stream") {
    for (std::string const name : {"lstm.json", "gru.json", "both.json", "aida.json", "guitarml_lstm_1.json",
                                   "guitarml_gru_3.json", "guitarml_lstm_2.json", "lstm.nam"}) {
        CAPTURE(name);
        auto const single = sluice::read_model(path_of(name));
        auto const exact = sluice::read_model<double>(path_of(name));
        CHECK(single.parameter_count() == exact.parameter_count());
        xt::xtensor<double, 3> xs = xt::zeros<double>({std::size_t{61}, std::size_t{1}, exact.input_size()});
        for (std::size_t i = 0; i < xs.size(); ++i)
            xs.data()[i] = std::sin(0.37 * static_cast<double>(i));
        auto const ys = exact.infer(xs);
        CHECK(xt::amax(xt::abs(single.infer(xt::cast<float>(xs)) - ys))() < 1e-5);
        auto live = single.stream();
        for (std::size_t t = 0; t < 61; ++t) {
            std::vector<float> const x(&xs(t, 0, 0), &xs(t, 0, 0) + exact.input_size());
            CHECK(std::abs(live.step(x)[0] - ys(t, 0, 0)) < 1e-5);
        }
    }
}

TEST_CASE("read_model: sizes with constant steps and sizes without give what double gives") {
    auto const cells = sluice::compiled_cells();
    auto const exact = sluice::compiled_cells<double>();
    for (std::string const cell : {"lstm", "cudnn_gru", "tanh_rnn", "gru"})
        for (std::size_t const units : {7u, 8u, 9u, 24u, 40u, 41u})
            for (std::size_t const inputs : {1u, 2u}) {
                CAPTURE(cell);
                CAPTURE(units);
                sluice::described_model const net{
                    .layers = {{{cell, {.input = inputs, .units = units}}}, {{"dense", {.units = 1}}}}};
                auto a = cells.make(net).stream();
                auto b = exact.make(net).stream();
                for (int t = 0; t < 9; ++t) {
                    double const in = std::cos(0.9 * t);
                    auto const y = a.step(std::vector<float>(inputs, static_cast<float>(in)));
                    CHECK(std::abs(y[0] - b.step(std::vector<double>(inputs, in))[0]) < 2e-5);
                    CHECK(y[0] != 0);
                }
            }
}

TEST_CASE("read_model: weights of frameworks are models, where names and shapes say which") {
    std::string const files = SLUICE_RECORDINGS;
    auto const keras = sluice::read_model<double>(files + "/keras_files/keras3_gru_2.weights.h5");
    CHECK(keras.describe().starts_with("keras_gru, "));
    CHECK(keras.infer(xt::ones<double>({std::size_t{3}, std::size_t{1}, keras.input_size()})).shape()[0] ==
          3);
    CHECK_THROWS_AS(sluice::read_model(files + "/keras_files/keras3_mixed.h5"), sluice::checkpoint_error);
    auto const onnx = sluice::read_model(files + "/models/lstm.onnx", "onnx_lstm");
    CHECK(onnx.describe().find("layer 0: ") != std::string::npos);
    CHECK_THROWS_AS(sluice::read_model(files + "/models/lstm.onnx", "onnx_gru"), sluice::checkpoint_error);
    CHECK_THROWS_AS(sluice::read_model(files + "/models/none.onnx"), sluice::checkpoint_error);
}

TEST_CASE("read_model: which cells there are, and files that are no models") {
    auto const names = sluice::compiled_cells().names();
    for (std::string const name :
         {"lstm", "cudnn_gru", "gru", "tanh_rnn", "relu_rnn", "dense", "prelu_layer"})
        CHECK(std::ranges::count(names, name) == 1);
    CHECK(names.size() == sluice::compiled_cells<double>().names().size());
    CHECK(sluice::compiled_cells().equations("lstm").find("next(c)") != std::string::npos);
    CHECK_THROWS_AS(sluice::read_model(path_of("none.json")), sluice::checkpoint_error);
    CHECK_THROWS_AS(sluice::read_model(path_of("")), sluice::checkpoint_error);
    CHECK_THROWS_AS(sluice::describe_model_text("{}", "nothing"), sluice::checkpoint_error);
}

} // namespace read_model_test
