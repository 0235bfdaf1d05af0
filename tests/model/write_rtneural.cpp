// SPDX-License-Identifier: BSL-1.0
// Models in RTNeural's JSON: what is written is read back as the same description, and what is refused.
#include <sluice/model/write_rtneural.hpp>

#include <algorithm>
#include <cstddef>
#include <doctest/doctest.h>
#include <filesystem>
#include <limits>
#include <sluice/model/read_description.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace write_rtneural_test {

using sluice::described_model, sluice::rtneural_text;

void check_same(described_model const& a, described_model const& b) {
    CHECK(a.adds_input == b.adds_input);
    CHECK(a.sample_rate == b.sample_rate);
    CHECK(a.numbers.given == b.numbers.given);
    REQUIRE(a.layers.size() == b.layers.size());
    for (std::size_t l = 0; l < a.layers.size(); ++l) {
        CAPTURE(l);
        CHECK(a.layers[l].layer.cell == b.layers[l].layer.cell);
        CHECK(a.layers[l].layer.extents == b.layers[l].layer.extents);
        REQUIRE(a.layers[l].parameters.size() == b.layers[l].parameters.size());
        for (auto const& one : a.layers[l].parameters) { // in any order
            auto const& all = b.layers[l].parameters;
            auto const found = std::ranges::find(all, one.called, &sluice::described_parameter::called);
            REQUIRE(found != all.end());
            CHECK(found->values == one.values);
        }
    }
}

TEST_CASE("write_rtneural: what was read is written, and read back the same, to the bit") {
    for (std::string const name : {"lstm.json", "gru.json", "both.json", "aida.json", "guitarml_lstm_1.json",
                                   "guitarml_gru_3.json", "guitarml_lstm_2.json"}) {
        CAPTURE(name);
        auto const first = sluice::read_description(std::string(SLUICE_RECORDINGS) + "/audio/" + name);
        auto const second = sluice::describe_model(rtneural_text(first), "f");
        check_same(first, second);
        CHECK(rtneural_text(second) == rtneural_text(first));
    }
}

described_model small() {
    return {.layers = {{{"lstm", {.input = 1, .units = 1}},
                        {{"W_i", {1}},
                         {"R_i", {5}},
                         {"b_i", {9}},
                         {"W_f", {2}},
                         {"R_f", {6}},
                         {"b_f", {0.5}},
                         {"W_j", {3}},
                         {"R_j", {7}},
                         {"b_j", {11}},
                         {"W_o", {4}},
                         {"R_o", {8}},
                         {"b_o", {12}}}},
                       {{"tanh_layer", {}}, {}},
                       {{"prelu_layer", {.units = 1}}, {{"p_a", {0.25}}}}},
            .adds_input = 1,
            .sample_rate = 44100};
}

TEST_CASE("write_rtneural: number by number, with the forget bias of the page") {
    CHECK(rtneural_text(small()) ==
          "{\"in_shape\": [null, null, 1], \"in_skip\": 1, \"samplerate\": 44100,\n \"layers\": [\n"
          "  {\"type\": \"lstm\", \"activation\": \"\", \"shape\": [null, null, 1], \"weights\": [[[1, 2, 3, "
          "4]], "
          "[[5, 6, 7, 8]], [9, 1.5, 11, 12]]},\n"
          "  {\"type\": \"activation\", \"activation\": \"tanh\", \"shape\": [null, null, 1], \"weights\": "
          "[]},\n"
          "  {\"type\": \"prelu\", \"activation\": \"\", \"shape\": [null, null, 1], \"weights\": "
          "[[0.25]]}]}\n");
    auto other = small();
    other.numbers = {{"forget_bias", -0.5}};
    CHECK(rtneural_text(other).find("[9, 0, 11, 12]") != std::string::npos);
}

TEST_CASE("write_rtneural: a file is written whole") {
    auto const path = std::filesystem::temp_directory_path() / "sluice_write_rtneural.json";
    sluice::write_rtneural(path, small());
    auto const read = sluice::read_description(path);
    std::filesystem::remove(path);
    CHECK(read.layers.size() == 3);
    CHECK_THROWS_AS(sluice::write_rtneural("no/such/folder/amp.json", small()), sluice::checkpoint_error);
}

TEST_CASE("write_rtneural: what is refused") {
    auto const refused = [](auto const& change, std::string const& words) {
        auto wrong = small();
        change(wrong);
        CHECK_THROWS_WITH_AS(rtneural_text(wrong), words.c_str(), std::invalid_argument);
    };
    refused([](auto& m) { m.layers.clear(); },
            "sluice: a model for RTNeural has at least one layer, but this one has none");
    refused(
        [](auto& m) { m.layers[0].layer.cell = "mgu"; },
        "sluice: RTNeural's JSON has no layer of the cell mgu; lstm, cudnn_gru, dense and pointwise layers "
        "can be written");
    refused([](auto& m) { m.layers[0].parameters[1].values.push_back(1); },
            "sluice: R_i of layer 0 has 2 numbers, but 1 are expected");
    refused([](auto& m) { m.layers[2].parameters.clear(); },
            "sluice: a model for RTNeural has all parameters of its layers, but layer 2 lacks p_a");
    refused([](auto& m) { m.layers[2].parameters[0].values[0] = std::numeric_limits<double>::infinity(); },
            "sluice: RTNeural's JSON has finite numbers, but a parameter of layer 2 is inf");
    refused(
        [](auto& m) {
            m.starts = {{"layer0/c", {1}}};
        },
        "sluice: a model for RTNeural starts at zeros, but layer0/c of this one does not; leave its start "
        "out");
    refused(
        [](auto& m) {
            m.numbers = {{"leak", 1}};
        },
        "sluice: a model for RTNeural has no setting but forget_bias, but got leak");
    refused(
        [](auto& m) { m.adds_input = 0.5; },
        "sluice: a model for RTNeural adds its input once, or not at all, but this one adds it 0.5 times; "
        "leave gains out");
    refused([](auto& m) { m.layers[0].layer.extents.input = 0; },
            "sluice: the first layer of a model says how wide its input is, but this one does not");
}

} // namespace write_rtneural_test
