// SPDX-License-Identifier: BSL-1.0
// Files of all formats are told apart, and those of none are refused.
#include <sluice/model/read_description.hpp>

#include <checkpoint/support.hpp>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>

namespace read_description_test {

TEST_CASE("read_description: a format is known by its members") {
    std::string const folder = std::string(SLUICE_RECORDINGS) + "/audio/";
    CHECK(sluice::read_description(folder + "lstm.json").source.find("RTNeural, '") == 0);
    CHECK(sluice::read_description(folder + "guitarml_lstm_1.json").source.find("GuitarML, '") == 0);
    CHECK(sluice::read_description(folder + "lstm.nam").source.find("NAM, '") == 0);
}

TEST_CASE("read_description: other files are refused") {
    using namespace sluice::checkpoint_errors;
    CHECK_THROWS_WITH_AS(
        sluice::describe_model("{\"layers\": []}", "f"),
        "f is no model that is known: the library's own has the member 'sluice_model', RTNeural's JSON "
        "'in_shape' and 'layers', GuitarML's 'model_data' and 'state_dict', and a .nam file 'architecture' "
        "and 'config'.",
        missing_field);
    for (std::string const text : {"[]", "7", "null", "{}"})
        CHECK_THROWS_AS(sluice::describe_model(text, "f"), missing_field);
    CHECK_THROWS_AS(sluice::describe_model("", "f"), not_json);
    CHECK_THROWS_AS(sluice::read_description("/nowhere/at/all.json"), file_unreadable);
    checkpoint_test::folder const here;
    auto const large = here / "large.json";
    std::ofstream(large).close();
    std::filesystem::resize_file(large, std::uintmax_t(600) << 20); // a hole
    CHECK_THROWS_AS(sluice::read_description(large), costs_too_much);
}

} // namespace read_description_test
