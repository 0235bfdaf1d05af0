// SPDX-License-Identifier: BSL-1.0
// GuitarML's files: layers in our words, and what is refused. tests/model/model.cpp runs them.
#include <sluice/model/guitarml.hpp>

#include <checkpoint/support.hpp>
#include <doctest/doctest.h>
#include <exception>
#include <string>
#include <vector>

namespace guitarml_test {

std::string about(std::string const& type, std::string const& units, std::string const& layers = "1") {
    return "{\"model_data\": {\"unit_type\": \"" + type +
           "\", \"input_size\": 1, \"output_size\": 1, \"skip\": 1, " + "\"hidden_size\": " + units +
           ", \"num_layers\": " + layers + "}, ";
}
std::string const state = R"("state_dict": {"rec.weight_ih_l0": [[1], [2], [3], [4]],
    "rec.weight_hh_l0": [[5], [6], [7], [8]], "rec.bias_ih_l0": [1, 2, 3, 4], "rec.bias_hh_l0": [10, 20, 30, 40],
    "lin.weight": [[9]], "lin.bias": [0.5]}})";

std::string said_of(std::string const& text) {
    try {
        sluice::describe_guitarml(sluice::parse_json(text, "f"), "f");
    } catch (std::exception const& error) {
        return error.what();
    }
    return "accepted";
}

TEST_CASE("guitarml: an LSTM of one unit, number by number") {
    auto const found = sluice::describe_guitarml(sluice::parse_json(about("LSTM", "1") + state, "f"), "f");
    CHECK(found.adds_input == 1);
    REQUIRE(found.layers.size() == 2);
    CHECK(found.layers[0].layer.cell == "lstm");
    std::vector<std::string> numbers;
    for (auto const& one : found.layers[0].parameters)
        numbers.push_back(one.called + " " + std::to_string(static_cast<int>(one.values.at(0))));
    CHECK(numbers == std::vector<std::string>{"W_i 1", "R_i 5", "b_i 11", "W_f 2", "R_f 6", "b_f 22", "W_j 3",
                                              "R_j 7", "b_j 33", "W_o 4", "R_o 8", "b_o 44"});
    CHECK(found.layers[1].parameters[0].values == std::vector<double>{9});
    CHECK(found.layers[1].parameters[1].values == std::vector<double>{0.5});
}

TEST_CASE("guitarml: what is refused") {
    CHECK(said_of(about("LSTM", "1") + state) == "accepted");
    CHECK(said_of(about("RNN", "1") + state) ==
          "f: model_data: a cell of the type 'RNN' cannot be run; LSTM and GRU can.");
    CHECK(said_of(about("LSTM", "2") + state) == "f: state_dict: rec.weight_ih_l0 should be [8, 1].");
    CHECK(said_of(about("GRU", "1") + state) == "f: state_dict: rec.weight_ih_l0 should be [3, 1].");
    CHECK(said_of(about("LSTM", "1", "2") + state) ==
          "f: state_dict lacks the member 'rec.weight_ih_l1', which such a model has.");
    for (std::string const number : {"0", "-1", "1.5", "2147483648", "1e300", "\"1\"", "null"})
        CHECK(said_of(about("LSTM", number) + state) ==
              "f: model_data: hidden_size should be a whole number from 1 to 1048576.");
    CHECK(said_of("{\"state_dict\": {}}") == "f lacks the member 'model_data', which such a model has.");
}

} // namespace guitarml_test
