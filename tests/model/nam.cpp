// SPDX-License-Identifier: BSL-1.0
// NAM's files: layers and starts in our words, and what is refused. tests/model/model.cpp runs one.
#include <sluice/model/nam.hpp>

#include <doctest/doctest.h>
#include <exception>
#include <string>
#include <vector>

namespace nam_test {

std::string model(std::string const& units, std::string const& layers, std::string const& weights,
                  std::string const& type = "LSTM") {
    return "{\"architecture\": \"" + type + "\", \"config\": {\"input_size\": 1, \"hidden_size\": " + units +
           ", \"num_layers\": " + layers + "}, \"weights\": [" + weights + "]}";
}
std::string const weights = "1,5, 2,6, 3,7, 4,8, 11,22,33,44, 0.25,0.75, 9,0.5";

std::string said_of(std::string const& text) {
    try {
        sluice::describe_nam(sluice::parse_json(text, "f"), "f");
    } catch (std::exception const& error) {
        return error.what();
    }
    return "accepted";
}

TEST_CASE("nam: an LSTM of one unit, number by number") {
    auto const found = sluice::describe_nam(sluice::parse_json(model("1", "1", weights), "f"), "f");
    CHECK(found.adds_input == 0);
    CHECK(found.sample_rate == 48000);
    REQUIRE(found.layers.size() == 2);
    std::vector<std::string> numbers;
    for (auto const& one : found.layers[0].parameters)
        numbers.push_back(one.called + " " + std::to_string(static_cast<int>(one.values.at(0))));
    CHECK(numbers == std::vector<std::string>{"W_i 1", "R_i 5", "b_i 11", "W_f 2", "R_f 6", "b_f 22", "W_j 3",
                                              "R_j 7", "b_j 33", "W_o 4", "R_o 8", "b_o 44"});
    REQUIRE(found.starts.size() == 2);
    CHECK(found.starts[0].called == "layer0/h");
    CHECK(found.starts[0].values == std::vector<double>{0.25});
    CHECK(found.starts[1].values == std::vector<double>{0.75});
    CHECK(found.layers[1].parameters[0].values == std::vector<double>{9});
    CHECK(found.layers[1].parameters[1].values == std::vector<double>{0.5});
}

TEST_CASE("nam: what is refused") {
    CHECK(said_of(model("1", "1", weights)) == "accepted");
    CHECK(said_of(model("1", "1", weights, "WaveNet")) ==
          "f: a model of the architecture 'WaveNet' cannot be run; one of the architecture 'LSTM' can.");
    std::string const more = "f: weights: there are 16 numbers, but these layers have more than that.";
    CHECK(said_of(model("2", "1", weights)) == more);
    CHECK(said_of(model("1", "2", weights)) == more);
    CHECK(said_of(model("1048576", "1048576", weights)) == more);
    CHECK(said_of(model("1", "1", weights + ", 1")) ==
          "f: weights: there are 17 numbers, but these layers have 16.");
    CHECK(said_of(model("1", "1", "")) ==
          "f: weights: there are 0 numbers, but these layers have more than that.");
    for (std::string const number : {"0", "-1", "1.5", "4294967296", "1e300"})
        CHECK(said_of(model(number, "1", weights)) ==
              "f: config: hidden_size should be a whole number from 1 to 1048576.");
    CHECK(said_of("{\"architecture\": \"LSTM\"}") == "f lacks the member 'config', which such a model has.");
}

} // namespace nam_test
