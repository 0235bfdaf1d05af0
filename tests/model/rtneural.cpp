// SPDX-License-Identifier: BSL-1.0
// Models of RTNeural, as PyTorch runs them (tests/reference/make_rtneural.py), and files that are refused.
#include <sluice/model/rtneural.hpp>

#include <checkpoint/support.hpp>
#include <cmath>
#include <cstddef>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sluice/cells/cudnn_gru.hpp>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/model/pointwise_layers.hpp>
#include <sluice/xtensor.hpp>
#include <string>
#include <vector>

namespace rtneural_test {

auto const& known() {
    static auto const all =
        sluice::model_cells<float, sluice::lstm, sluice::cudnn_gru, sluice::dense, sluice::tanh_layer,
                            sluice::sigmoid_layer, sluice::relu_layer, sluice::elu_layer,
                            sluice::softmax_layer, sluice::prelu_layer>();
    return all;
}

std::string path_of(std::string const& name) {
    return std::string(SLUICE_RECORDINGS) + "/rtneural/" + name + ".json";
}
std::string text_of(std::string const& name) {
    std::ifstream file(path_of(name));
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("rtneural: it gives what PyTorch gives in double") {
    for (std::string const name : {"lstm", "gru", "both"}) {
        CAPTURE(name);
        auto const net = sluice::make_model(sluice::read_rtneural(path_of(name)), known());
        auto const tree = sluice::parse_json(text_of(name), name);
        auto const& x = tree.find("x")->numbers;
        auto const& y = tree.find("y")->items;
        REQUIRE(x.size() == 23);
        REQUIRE(y.size() == 23);
        xt::xtensor<float, 3> xs = xt::zeros<float>({x.size(), std::size_t{1}, std::size_t{1}});
        for (std::size_t t = 0; t < x.size(); ++t)
            xs(t, 0, 0) = static_cast<float>(x[t]);
        auto const ys = net.infer(xs);
        REQUIRE(ys.shape()[2] == y[0].numbers.size());
        double largest = 0;
        for (std::size_t t = 0; t < y.size(); ++t)
            for (std::size_t i = 0; i < y[t].numbers.size(); ++i)
                largest = std::max(largest, std::abs(static_cast<double>(ys(t, 0, i)) - y[t].numbers[i]));
        CHECK(largest < 1e-5);
        CHECK(std::abs(y[0].numbers[0]) > 0.01); // otherwise the numbers show nothing
    }
}

TEST_CASE("rtneural: layers, in the words of our cells") {
    auto const found = sluice::read_rtneural(path_of("gru"));
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
        sluice::make_model(sluice::describe_rtneural(sluice::parse_json(text, "f"), "f"), known());
    } catch (std::exception const& error) {
        return error.what();
    }
    return "accepted";
}

TEST_CASE("rtneural: what is refused, with a sentence that names the layer") {
    std::string const dense =
        R"({"type": "dense", "activation": "", "shape": [null, 2], "weights": [[[1, 2]], [3, 4]]})";
    CHECK(said_of("[" + dense + "]") == "accepted");
    CHECK(said_of("[]") == "f: layers should be a list of one layer or more.");
    CHECK(said_of("7") == "f: layers should be a list of one layer or more.");
    CHECK(said_of("[" + dense + "]", "[]") == "f: in_shape should end with a width from 1 to 1048576.");
    for (std::string const width : {"0", "-1", "1.5", "2147483648", "9223372036854775808", "1e300", "\"1\""})
        CHECK(said_of("[" + dense + "]", "[null, " + width + "]") ==
              "f: in_shape should end with a width from 1 to 1048576.");
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
          "f: layer 0 lacks the member 'weights', which a model of RTNeural has.");
    CHECK(said_of(R"([{"type": "lstm", "shape": [1048576], "weights": [[], [], []]}])")
              .find("f: layer 0: weights should be a list of 3 arrays") == std::string::npos);
    CHECK(said_of(R"([{"type": "lstm", "shape": [1048576], "weights": [[[1]], [[1]], [1]]}])") ==
          "f: layer 0: the kernel, each row, should be 4194304 numbers.");
    CHECK(said_of(R"([7])") != "accepted");
    checkpoint_test::folder const here;
    auto const large = here / "large.json";
    std::ofstream(large).close();
    std::filesystem::resize_file(large, std::uintmax_t(600) << 20); // a hole
    CHECK_THROWS_AS(sluice::read_rtneural(large), sluice::checkpoint_errors::costs_too_much);
    CHECK_THROWS_AS(sluice::read_rtneural("/nowhere/at/all.json"), sluice::checkpoint_error);
}

} // namespace rtneural_test
