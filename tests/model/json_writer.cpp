// SPDX-License-Identifier: BSL-1.0
// Numbers and texts as JSON, which the parser reads back.
#include <sluice/model/json_writer.hpp>

#include <array>
#include <doctest/doctest.h>
#include <limits>
#include <sluice/model/json_tree.hpp>
#include <string>

namespace json_writer_test {

struct writer : sluice::detail::json_writer {
    std::string number(double value) {
        text_.clear();
        put_number(value);
        return text_;
    }
    std::string numbers(std::span<double const> values) {
        text_.clear();
        put_numbers(values);
        return text_;
    }
    std::string words(std::string_view given) {
        text_.clear();
        put_text(given);
        return text_;
    }
};

TEST_CASE("json_writer: numbers have the fewest digits that read back as the same") {
    using limits = std::numeric_limits<double>;
    writer w;
    CHECK(w.number(0.1) == "0.1");
    CHECK(w.number(-2) == "-2");
    for (double const value :
         {1. / 3, double(0.1f), limits::max(), limits::min(), limits::denorm_min(), -0.0})
        CHECK(sluice::parse_json("[" + w.number(value) + "]", "f").numbers[0] == value);
    CHECK(w.numbers({}) == "[]");
    CHECK(w.numbers(std::array{1., 2.5}) == "[1, 2.5]");
}

TEST_CASE("json_writer: texts are quoted") {
    writer w;
    CHECK(w.words("") == "\"\"");
    CHECK(w.words("W_i \xc3\xa4") == "\"W_i \xc3\xa4\"");
    CHECK(w.words("a\"b\\c\n\x01") == R"("a\"b\\c\n\u0001")");
    for (std::string const text : {"\x1f\t\r\n", "\\\\\"\"", "next(h) = (1 - f) . h\n"})
        CHECK(sluice::parse_json("[" + w.words(text) + "]", "f").items[0].text == text);
}

} // namespace json_writer_test
