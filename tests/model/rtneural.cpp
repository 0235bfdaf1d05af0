// SPDX-License-Identifier: BSL-1.0
// Models of RTNeural, as PyTorch runs them (tests/reference/make_rtneural.py), and files that are refused.
#include <sluice/model/rtneural.hpp>

#include "audio_cells.hpp"

#include <cstddef>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <sluice/model/model_of_net.hpp>
#include <string>
#include <vector>

namespace rtneural_test {

using audio_cells::known;
using audio_cells::path_of;

std::string text_of(std::string const& name) {
    std::ifstream file(path_of(name + ".json"));
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("rtneural: layers, in the words of our cells") {
    auto const found = sluice::describe_rtneural(sluice::parse_json(text_of("gru"), "f"), "f");
    std::vector<std::string> cells;
    for (auto const& one : found.layers)
        cells.push_back(one.layer.cell);
    CHECK(cells == std::vector<std::string>{"cudnn_gru", "dense", "tanh_layer", "sigmoid_layer", "dense",
                                            "prelu_layer"});
    CHECK(found.numbers.given.empty());
    CHECK(sluice::is_rtneural(sluice::parse_json(text_of("lstm"), "a file")));
    CHECK_FALSE(sluice::is_rtneural(sluice::parse_json("{\"layers\": []}", "a file")));
    CHECK_FALSE(sluice::is_rtneural(sluice::parse_json("[1, 2]", "a file")));
}

std::string said_of(std::string const& layers, std::string const& shape = "[null, null, 1]") {
    std::string const text = "{\"in_shape\": " + shape + ", \"layers\": " + layers + "}";
    try {
        sluice::make_model_net(sluice::describe_rtneural(sluice::parse_json(text, "f"), "f"), known());
    } catch (std::exception const& error) {
        return error.what();
    }
    return "accepted";
}

TEST_CASE("rtneural: gains of AIDA-X are in dB, before and after net and input") {
    std::string const plain = text_of("aida");
    auto const model_of = [](std::string const& text) {
        return sluice::make_model(sluice::describe_rtneural(sluice::parse_json(text, "f"), "f"), known());
    };
    auto const with = [&](std::string const& members) {
        return model_of("{" + members + ", " + plain.substr(plain.find('{') + 1));
    };
    xt::xtensor<float, 3> const xs{{{0.3f}}, {{-0.7f}}, {{0.1f}}};
    xt::xtensor<float, 3> const quieter = 0.5011872f * xs;
    xt::xtensor<float, 3> const expected = 1.9952623f * model_of(plain).infer(quieter);
    auto const gained = with(R"("in_gain": -6, "out_gain": 6)");
    CHECK(xt::amax(xt::abs(gained.infer(xs) - expected))() < 1e-6);
    CHECK(xt::amax(xt::abs(expected))() > 0.1);
    auto live = gained.stream();
    CHECK(live.step({xs.data(), 1})[0] == doctest::Approx(expected(0, 0, 0)).epsilon(1e-5));
    CHECK(with(R"("out_gain": -90)").infer(xs)(0, 0, 0) == 0);
    CHECK(with(R"("in_gain": null)").infer(xs) == model_of(plain).infer(xs));
    CHECK_THROWS_AS(with(R"("in_gain": 100000)"), std::invalid_argument);
    CHECK(
        model_of(
            R"({"in_shape": [1], "metadata": {"samplerate": 44100}, "layers": [{"type": "activation", "activation": "tanh"}]})")
            .sample_rate() == 44100);
    CHECK_THROWS_WITH_AS(
        model_of(
            R"({"in_shape": [1048576], "in_gain": 1, "layers": [{"type": "activation", "activation": "tanh"}]})"),
        "f: layer 0: gains are for at most 1024 inputs and outputs, but there are 1048576.",
        sluice::checkpoint_error);
}

TEST_CASE("rtneural: a thousand layers") {
    std::string const one = R"({"type": "dense", "shape": [1], "weights": [[[-1]], [0]]})";
    std::string all = one;
    for (int l = 1; l < 1000; ++l)
        all += ", " + one;
    auto const text = R"({"in_shape": [1], "layers": [)" + all + "]}";
    auto const model =
        sluice::make_model(sluice::describe_rtneural(sluice::parse_json(text, "f"), "f"), known());
    CHECK(model.infer({{{0.5f}}})(0, 0, 0) == 0.5f);
    CHECK(model.parameter_count() == 2000);
}

TEST_CASE("rtneural: what is refused, with a sentence that names the layer") {
    std::string const dense =
        R"({"type": "dense", "activation": "", "shape": [null, 2], "weights": [[[1, 2]], [3, 4]]})";
    CHECK(said_of("[" + dense + "]") == "accepted");
    CHECK(said_of("[]") == "f: layers should be a list of one layer or more.");
    CHECK(said_of("7") == "f: layers should be a list of one layer or more.");
    CHECK(said_of("[" + dense + "]", "[]") ==
          "f: in_shape, its last number, should be a whole number from 1 to 1048576.");
    for (std::string const width : {"0", "-1", "1.5", "2147483648", "9223372036854775808", "1e300", "\"1\""})
        CHECK(said_of("[" + dense + "]", "[null, " + width + "]") ==
              "f: in_shape, its last number, should be a whole number from 1 to 1048576.");
    CHECK(said_of(R"([{"type": "conv1d", "shape": [null, 2]}])") ==
          "f: layer 0: a layer of RTNeural's type 'conv1d' cannot be run; lstm, gru, dense, prelu and "
          "activation can.");
    CHECK(said_of(R"([{"type": "activation", "activation": "swish"}])") ==
          "f: layer 0: the activation 'swish' is not known; tanh, sigmoid, relu, elu and softmax are.");
    CHECK(said_of("[" + dense + R"(, {"type": "dense", "shape": [1], "weights": [[[1]], [1]]}])") ==
          "f: layer 1: the kernel should be [2, 1].");
    CHECK(said_of(R"([{"type": "dense", "shape": [2], "weights": [[[1, 2]], [3]]}])") ==
          "f: layer 0: the bias should be 2 numbers.");
    CHECK(said_of(R"([{"type": "dense", "shape": [2], "weights": [[[1, null]], [3, 4]]}])") ==
          "f: layer 0: the kernel, each row, should be 2 numbers.");
    CHECK(said_of(R"([{"type": "dense", "shape": [2]}])") ==
          "f: layer 0 lacks the member 'weights', which such a model has.");
    CHECK(said_of(R"([{"type": "lstm", "shape": [1048576], "weights": [[], [], []]}])")
              .find("f: layer 0: weights should be a list of 3 arrays") == std::string::npos);
    CHECK(said_of(R"([{"type": "lstm", "shape": [1048576], "weights": [[[1]], [[1]], [1]]}])") ==
          "f: layer 0: the kernel, each row, should be 4194304 numbers.");
    CHECK(said_of(R"([7])") != "accepted");
}

} // namespace rtneural_test
