// SPDX-License-Identifier: BSL-1.0
// A tree of a JSON file, and files that ask for much.
#include <sluice/model/json_tree.hpp>

#include <cstddef>
#include <doctest/doctest.h>
#include <sluice/checkpoint/error.hpp>
#include <string>
#include <vector>

namespace json_tree_test {

using sluice::json_value;
using sluice::parse_json;

TEST_CASE("json_tree: values, lists of numbers and others") {
    auto const tree = parse_json(
        R"({"a": null, "b": true, "c": -1.5, "d": "text", "e": [1, 2, 3], "f": [1, [2], "x", 4], "g": {}, "h": []})",
        "a file");
    REQUIRE(tree.is == json_value::kind::object);
    CHECK(tree.names.size() == 8);
    CHECK(tree.find("a")->is == json_value::kind::null);
    CHECK(tree.find("b")->number == 1);
    CHECK(tree.find("c")->number == -1.5);
    CHECK(tree.find("d")->text == "text");
    CHECK(tree.find("e")->numbers == std::vector<double>{1, 2, 3});
    CHECK(tree.find("e")->size() == 3);
    json_value const& mixed = *tree.find("f");
    REQUIRE(mixed.items.size() == 4);
    CHECK(mixed.numbers.empty());
    CHECK(mixed.items[0].number == 1);
    CHECK(mixed.items[1].numbers == std::vector<double>{2});
    CHECK(mixed.items[2].text == "x");
    CHECK(mixed.items[3].number == 4);
    CHECK(tree.find("g")->is == json_value::kind::object);
    CHECK(tree.find("h")->size() == 0);
    CHECK(tree.find("z") == nullptr);
    CHECK(mixed.find("a") == nullptr);
    CHECK(parse_json("7", "a file").number == 7);
}

TEST_CASE("json_tree: what is no JSON, or more than a model needs, is refused") {
    using namespace sluice::checkpoint_errors;
    for (std::string const text : {"", "{", "[1,]", "NaN", "[1e999]", "{} {}", "\"", "[Infinity]", "nul"})
        CHECK_THROWS_AS(parse_json(text, "a file"), not_json);
    CHECK_THROWS_WITH_AS(parse_json("{\"a\": 1, \"a\": 2}", "a file"),
                         "a file: an object has the member 'a' twice.", duplicate_key);
    CHECK_THROWS_AS(parse_json(std::string("[1]\0", 4), "a file"), not_json);
    CHECK_THROWS_AS(parse_json("\"\xff\"", "a file"), not_utf8);
    CHECK_THROWS_WITH_AS(
        parse_json(std::string(33, '['), "a file"),
        "a file has lists and objects in each other, more than 32 levels deep; no model needs "
        "as many.",
        not_json);
    CHECK_THROWS_AS(parse_json(std::string(100'000'000, '['), "a file"), not_json);
    CHECK_NOTHROW(parse_json(std::string(32, '[') + std::string(32, ']'), "a file"));
    std::string lists = "[[]";
    for (int k = 0; k < 300'000; ++k)
        lists += ",[]";
    CHECK_THROWS_AS(parse_json(lists + "]", "a file"), costs_too_much);
    std::string names = "{\"\": 0";
    for (int k = 0; k < 300'000; ++k)
        names += ",\"" + std::to_string(k) + "\":0";
    CHECK_THROWS_AS(parse_json(names + "}", "a file"), costs_too_much);
}

TEST_CASE("json_tree: many numbers cost what the file allows") {
    std::string numbers = "[0";
    for (int k = 0; k < 2'000'000; ++k)
        numbers += ",0";
    CHECK(parse_json(numbers + "]", "a file").numbers.size() == 2'000'001);
}

} // namespace json_tree_test
