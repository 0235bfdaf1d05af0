// SPDX-License-Identifier: BSL-1.0
// Nets of any cells as files: what is written is read back with the same bits, and runs the same.
#include <sluice/model/write_model.hpp>

#include <doctest/doctest.h>
#include <filesystem>
#include <limits>
#include <sluice/cells/dense.hpp>
#include <sluice/cells/glstm.hpp>
#include <sluice/cells/lstm.hpp>
#include <sluice/cells/mgu.hpp>
#include <sluice/model/model_of_net.hpp>
#include <sluice/model/read_description.hpp>
#include <sluice/xtensor.hpp>
#include <stdexcept>
#include <string>
#include <support/nets.hpp>

namespace write_model_test {

using sluice::described_model, sluice::describe_net, sluice::model_text;

template <class Net, class... Pages>
void is_the_same_net(Net const& net) {
    using S = typename Net::scalar_type;
    auto const first = describe_net(net);
    auto const second = sluice::describe_model(model_text(first), "f");
    CHECK(model_text(second) == model_text(first));
    auto const model = sluice::make_model(second, sluice::model_cells<S, Pages...>());
    CHECK(model.parameter_count() == net.parameter_count());
    auto const xs = support::random_sequence<S>(5, 3, net.input_size());
    CHECK(support::same(model.infer(xs), sluice::infer(net, xs, net.zero_state(3)).outputs));
}

TEST_CASE_TEMPLATE("write_model: a net is read back the same, to the bit", S, float, double) {
    using two = sluice::stack<sluice::layers<sluice::lstm, sluice::dense>, S>;
    is_the_same_net<two, sluice::dense, sluice::lstm>(support::shuffled(
        two({{.input = 3, .units = 7}, {.units = 2}}, {}, sluice::seed{3}, {{"forget_bias", -0.3}})));
    is_the_same_net<sluice::stack<sluice::mgu, S>, sluice::mgu>(support::shuffled(
        sluice::stack<sluice::mgu, S>({.input = 3, .units = 5}, {.layers = 3, .dropout = 0.5})));
    is_the_same_net<sluice::cell<sluice::projected_glstm, S>, sluice::projected_glstm>(support::shuffled(
        sluice::cell<sluice::projected_glstm, S>({.input = 4, .units = 6, .projection = 4, .groups = 2})));
}

described_model small() {
    return {.layers = {{{"dense", {.input = 2, .units = 1, .groups = 3, .own = {{"rank", 4}}}},
                        {{"W_y", {1, -0.1}}, {"b_y", {}}},
                        "y = \"x\"\t\\\n"}},
            .numbers = {{"dt", 0.1}},
            .starts = {{"layer0/h", {1e300}}},
            .adds_input = 0.5,
            .sample_rate = 44100};
}

TEST_CASE("write_model: the text of a file") {
    CHECK(model_text(small()) == R"({"sluice_model": 1, "sample_rate": 44100, "adds_input": 0.5,
 "settings": {"dt": 0.1},
 "layers": [
  {"cell": "dense", "sizes": {"input": 2, "units": 1, "groups": 3, "rank": 4},
   "equations": "y = \"x\"\u0009\\\n",
   "parameters": {
    "W_y": [1, -0.1],
    "b_y": []}}],
 "starts": { "layer0/h": [1e+300]}}
)");
    auto const read = sluice::describe_model(model_text(small()), "f");
    CHECK(read.layers[0].equations == small().layers[0].equations);
    CHECK(read.layers[0].layer.extents == small().layers[0].layer.extents);
    CHECK(model_text(read) == model_text(small()));
}

TEST_CASE("write_model: a file is written whole") {
    auto const path = std::filesystem::temp_directory_path() / "sluice_write_model.json";
    sluice::write_model(path, small());
    CHECK(sluice::read_description(path).layers.size() == 1);
    auto wrong = small();
    wrong.sample_rate = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(sluice::write_model(path, wrong), std::invalid_argument);
    CHECK(sluice::read_description(path).sample_rate == 44100);
    std::filesystem::remove(path);
    CHECK_THROWS_AS(sluice::write_model("no/such/folder/amp.json", small()), sluice::checkpoint_error);
}

TEST_CASE("write_model: what is refused") {
    auto const refused = [](auto const& change, std::string const& words) {
        auto wrong = small();
        change(wrong);
        CHECK_THROWS_WITH_AS(model_text(wrong), words.c_str(), std::invalid_argument);
    };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    refused([](auto& m) { m.layers.clear(); },
            "sluice: a model has at least one layer, but this one has none");
    refused([](auto& m) { m.layers[0].parameters[0].values[1] = -infinity; },
            "sluice: a file of a model has finite numbers, but W_y is -inf");
    refused([](auto& m) { m.numbers.given[0].second = infinity; },
            "sluice: a file of a model has finite numbers, but dt is inf");
    refused([](auto& m) { m.adds_input = infinity; },
            "sluice: a file of a model has finite numbers, but adds_input is inf");
    refused([](auto& m) { m.starts[0].values[0] = infinity; },
            "sluice: a file of a model has finite numbers, but layer0/h is inf");

    using net = sluice::stack<sluice::mgu, float>;
    CHECK_THROWS_WITH_AS(
        describe_net(net({.input = 3, .units = 3}, {.direction = sluice::direction::bidirectional})),
        "sluice: a model is layers one after the other, but .direction of this stack is bidirectional, "
        ".residual "
        "none and .zoneout 0",
        std::invalid_argument);
    CHECK_THROWS_AS(describe_net(net({.input = 3, .units = 3}, {.residual = sluice::residual::all})),
                    std::invalid_argument);
    net moved_from({.input = 3, .units = 3});
    net const taken = std::move(moved_from);
    CHECK_THROWS_AS(describe_net(moved_from), std::logic_error);
}

TEST_CASE("write_model: a file with other equations, or other parameters than its layers, is no model") {
    auto const known = sluice::model_cells<float, sluice::mgu, sluice::lstm>();
    sluice::cell<sluice::mgu> const cell({.input = 1, .units = 2});
    auto other = describe_net(cell);
    CHECK_NOTHROW(sluice::make_model(other, known));
    other.layers[0].equations = "h = x";
    CHECK_THROWS_WITH_AS(sluice::make_model(other, known),
                         "sluice: the cell mgu of the model has other equations than that of this program; "
                         "its layer 0 has\nh = x\n"
                         "To run it with those of the program, take the equations out of the model",
                         std::invalid_argument);
    other.layers[0].equations.clear();
    CHECK_NOTHROW(sluice::make_model(other, known));
    other.layers[0].parameters.pop_back();
    CHECK_THROWS_WITH_AS(sluice::make_model(other, known),
                         "sluice: layers of these sizes have 16 parameters, but the model is given 14",
                         std::invalid_argument);
    // Few bytes that ask for terabytes.
    for (std::string const cell_name : {"lstm", "mgu"})
        CHECK_THROWS_AS(sluice::make_model(sluice::describe_model(
                                               R"({"sluice_model": 1, "layers": [{"cell": ")" + cell_name +
                                                   R"(", "sizes": {"input": 1048576, "units": 1048576}}]})",
                                               "f"),
                                           known),
                        std::invalid_argument);
}

} // namespace write_model_test
