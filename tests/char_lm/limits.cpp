// SPDX-License-Identifier: BSL-1.0
// The limits read words of a command line and values of JSON alike.

#include "../../apps/char_lm/limits.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

using namespace char_lm;
using nlohmann::json;

namespace {

template <class Limits, class Source>
std::string refusal(const Limits& limits, const Source& came) {
    try {
        accepted("--it", limits, came);
    } catch (const bad_call& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("limits: whole numbers") {
    const whole some{1, 100}, all{0, std::numeric_limits<std::uint64_t>::max()};
    for (const std::string word : {"1", "100", "007"})
        CHECK(refusal(some, word) == "");
    for (const std::string word : {"0", "101", "-1", "+1", "1.0", "1e1", "0x1", " 1", "1 ", "", "one",
                                   "4294967297", "18446744073709551617"})
        CHECK(refusal(some, word).ends_with("; it must be a whole number from 1 to 100."));
    CHECK(accepted("--it", all, std::string("18446744073709551615")) == all.high);
    CHECK(refusal(all, std::string("18446744073709551616")) != "");

    CHECK(accepted("--it", some, json(7)) == 7); // signed in JSON
    CHECK(accepted("--it", some, json::parse("7")) == 7);
    CHECK(accepted("--it", all, json::parse("18446744073709551615")) == all.high);
    for (const char* text : {"0", "-1", "101", "1.0", "1e1", "null", "true", "\"7\"", "[7]", "{}", "1e999"})
        CHECK(refusal(some, json::parse(text, nullptr, false)) != "");
    CHECK(refusal(some, json(-8)) == "--it is -8; it must be a whole number from 1 to 100.");
}

TEST_CASE("limits: numbers") {
    const real some{0, 0.5};
    for (const std::string word : {"0", "0.5", ".5", "5e-1", "-0", "1e-320"})
        CHECK(refusal(some, word) == "");
    for (const std::string word : {"-1e-9", "0.500001", "nan", "-nan", "inf", "1e999", "0,5", "0.1x", ""})
        CHECK(refusal(some, word).ends_with("; it must be a number from 0 to 0.5."));
    CHECK(accepted("--it", some, json(0.25)) == 0.25);
    CHECK(accepted("--it", some, json(0)) == 0);
    for (const json& value :
         {json(nullptr), json("0.1"), json(true), json(std::numeric_limits<double>::quiet_NaN())})
        CHECK(refusal(some, value) != "");
}

TEST_CASE("limits: words, and what is shown of long ones") {
    const one_of some{{"gru", "lstm", "mgu"}};
    CHECK(refusal(some, std::string("lsmt")) ==
          "--it is lsmt; it must be gru, lstm or mgu. Did you mean lstm?");
    CHECK(accepted("--it", some, std::string("lstm")) == "lstm");
    CHECK(refusal(some, std::string("LSTM")) ==
          "--it is LSTM; it must be gru, lstm or mgu. Did you mean lstm?");
    CHECK(refusal(some, std::string()) == "--it is empty; it must be gru, lstm or mgu.");
    CHECK(refusal(some, json(3)) == "--it is 3; it must be gru, lstm or mgu.");
    CHECK(refusal(some, std::string(100'000, 'x')).size() < 120);
}
