// SPDX-License-Identifier: BSL-1.0
// The library's own file of a model: what it says, and what is refused.
#include <sluice/model/own_json.hpp>

#include <doctest/doctest.h>
#include <sluice/model/read_description.hpp>
#include <stdexcept>
#include <string>

namespace own_json_test {

sluice::described_model read(std::string const& text) {
    return sluice::describe_model(text, "f");
}

std::string const layer =
    R"({"cell": "dense", "sizes": {"input": 1, "units": 1}, "parameters": {"W_y": [2], "b_y": [0.5]}})";
std::string with(std::string const& members) {
    return "{\"sluice_model\": 1" + members + ", \"layers\": [" + layer + "]}";
}

TEST_CASE("own_json: all that a file may say") {
    auto const found = read(R"({"sluice_model": 1, "sample_rate": 48000, "adds_input": -0.5,
        "settings": {"dt": 0.25, "forget_bias": 0}, "starts": {"layer0/h": [1, 2]},
        "layers": [{"cell": "ltc", "sizes": {"input": 3, "units": 5, "projection": 2, "groups": 4, "context": 7},
                    "equations": "y = \u00e4\n", "parameters": {"W_y": [1e-3, -2], "b_y": []}}]})");
    CHECK(found.source == "Sluice, f");
    CHECK(found.is_complete);
    CHECK(found.sample_rate == 48000);
    CHECK(found.adds_input == -0.5);
    CHECK(found.numbers.given ==
          std::vector<std::pair<std::string, double>>{{"dt", 0.25}, {"forget_bias", 0}});
    REQUIRE(found.starts.size() == 1);
    CHECK(found.starts[0].called == "layer0/h");
    CHECK(found.starts[0].values == std::vector<double>{1, 2});
    REQUIRE(found.layers.size() == 1);
    auto const& one = found.layers[0];
    CHECK(one.layer.cell == "ltc");
    CHECK(one.layer.extents ==
          sluice::sizes{.input = 3, .units = 5, .projection = 2, .groups = 4, .own = {{"context", 7}}});
    CHECK(one.equations == "y = \xc3\xa4\n");
    REQUIRE(one.parameters.size() == 2);
    CHECK(one.parameters[0].called == "W_y");
    CHECK(one.parameters[0].values == std::vector<double>{1e-3, -2});
    CHECK(one.parameters[1].values.empty());
    CHECK(read(with("")).sample_rate == 0);
}

TEST_CASE("own_json: what is refused, with a sentence") {
    auto const refused = [](std::string const& text, std::string const& words) {
        CHECK_THROWS_WITH_AS(read(text), words.c_str(), sluice::checkpoint_error);
    };
    refused(R"({"sluice_model": 2, "layers": []})",
            "f: it is of version 2.000000 of the format, and version 1 is read.");
    refused(R"({"sluice_model": "1", "layers": []})", "f: 'sluice_model' should be a number.");
    refused(R"({"sluice_model": 1})", "f lacks the member 'layers', which such a model has.");
    refused(R"({"sluice_model": 1, "layers": []})", "f: layers should be a list of one layer or more.");
    refused(R"({"sluice_model": 1, "layers": [3]})", "f: layers should be a list of one layer or more.");
    refused(R"({"sluice_model": 1, "layers": [{}]})", "f: layer 0: cell should be the name of one.");
    refused(R"({"sluice_model": 1, "layers": [[1]]})", "f: layer 0: an object is expected.");
    refused(with(R"(, "skip": 1)"), "f: the member 'skip' is none of this format; leave it out.");
    refused(with(R"(, "sample_rate": -1)"), "f: sample_rate is in Hz, and not negative.");
    refused(with(R"(, "sample_rate": "fast")"), "f: 'sample_rate' should be a number.");
    refused(with(R"(, "adds_input": null)"), "f: 'adds_input' should be a number.");
    refused(with(R"(, "settings": [1])"), "f: 'settings' should be an object.");
    refused(with(R"(, "settings": {"dt": "a"})"), "f: 'dt' should be a number.");
    refused(with(R"(, "starts": {"layer0/h": 1})"), "f: 'layer0/h' should be a list of numbers.");
    refused(with(R"(, "starts": {"layer0/h": [[1]]})"), "f: 'layer0/h' should be a list of numbers.");
    auto const of_layer = [](std::string const& members) {
        return R"({"sluice_model": 1, "layers": [{"cell": "dense", )" + members + "}]}";
    };
    refused(of_layer(R"("sizes": 3)"), "f: layer 0: 'sizes' should be an object.");
    for (std::string const wrong : {"0", "-1", "1.5", "1048577", "2147483648", "9223372036854775808"})
        refused(of_layer(R"("sizes": {"units": )" + wrong + "}"),
                "f: layer 0: 'units' should be a whole number from 1 to 1048576.");
    refused(of_layer(R"("sizes": {"units": "8"})"), "f: layer 0: 'units' should be a number.");
    refused(of_layer(R"("sizes": {"a_name_of_more_than_31_letters__": 1})"),
            "f: layer 0: a cell has at most 8 sizes of its own, with names of 1 to 31 letters.");
    refused(of_layer(R"("sizes": {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1, "i": 1})"),
            "f: layer 0: a cell has at most 8 sizes of its own, with names of 1 to 31 letters.");
    refused(of_layer(R"("parameters": [1])"), "f: layer 0: 'parameters' should be an object.");
    refused(of_layer(R"("weights": [1])"),
            "f: layer 0: the member 'weights' is none of this format; leave it out.");
}

} // namespace own_json_test
